#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/session/learnt_sources.h"
#include "core/session/preparation.h"
#include "core/study/study.h"

namespace kernelscape::study {

/** Opens the recorded space in a file: our own format, or any that can be imported. Errors name the file. */
Result<std::shared_ptr<const trial::Recording>> open_recorded_file(const std::filesystem::path& file);

/** The session of a run, ready to be created. */
struct PreparedRun {
  session::PreparedTuning tuning;
  std::string notice;  ///< why it starts without the trials of another task that it should have started with;
                       ///< empty: no notice
};

/**
 * The tasks of a study, each looked up once however many runs it has: catalogue, template, recorded file,
 * space. May be used from any thread.
 */
class Tasks {
 public:
  explicit Tasks(Definition study);

  /**
   * Prepares the session of a run.
   * @param chained the session whose trials the run starts with, see chained_run(), if they are usable:
   * trials with other features are left out, as AutoTVM does; nullopt: the run starts with the trials of the
   * arm's warm start, or with none
   */
  Result<PreparedRun> prepare(const store::Store& store, const PlannedRun& run,
                              std::optional<store::SessionId> chained);

 private:
  /** What all arms share that treat the device limits in the same way. */
  struct Variant {
    std::once_flag once;
    Result<session::PreparedTuning> tuning = fail(ErrorCode::Internal, "not looked up yet");
  };
  struct Lookup {
    Variant unrestricted;      ///< limits are no constraints
    Variant limited;           ///< limits are constraints, because the arm has it so
    Variant limited_if_known;  ///< limits are constraints if they are known, because its tuner has it so
    std::mutex sources_mutex;
    std::map<std::size_t, std::vector<session::ReadSource>> sources;  ///< by arm, once they were read
  };
  Result<std::vector<session::ReadSource>> sources_of(const store::Store& store, const PlannedRun& run,
                                                      const space::SearchSpace& space);
  Variant& variant_of(const PlannedRun& run);
  Result<session::PreparedTuning> look_up(const store::Store& store, const PlannedRun& run) const;

  Definition study_;
  std::vector<std::unique_ptr<Lookup>> tasks_;
};

}  // namespace kernelscape::study
