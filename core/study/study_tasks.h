#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/session/preparation.h"
#include "core/study/study.h"

namespace kernelscape {

/** The recorded space in a file: our own, or any that can be imported as one. Errors name the file. */
Result<std::shared_ptr<const Recording>> open_recorded_file(const std::filesystem::path& file);

/** The session of a run, ready to be made. */
struct PreparedRun {
  PreparedTuning tuning;
  std::string notice;  ///< why it begins new where it was to go on from another task; empty: nothing
};

/**
 * The tasks of a study, each looked up once however many runs it has: catalogue, template, recorded file,
 * space. Any thread may ask.
 */
class StudyTasks {
 public:
  explicit StudyTasks(StudyDefinition study);

  /**
   * @param chained the session whose trials it begins with, see chained_run(), where something can be learnt
   * from them: as AutoTVM does, what has other features is left out; none: those of the arm's warm start, or
   * none
   */
  Result<PreparedRun> prepare(const Store& store, const PlannedRun& run, std::optional<SessionId> chained);

 private:
  struct Lookup {
    std::once_flag once;
    Result<PreparedTuning> tuning = fail(ErrorCode::Internal, "not looked up yet");
  };
  Result<PreparedTuning> look_up(const Store& store, const PlannedRun& run) const;

  StudyDefinition study_;
  std::vector<std::unique_ptr<Lookup>> tasks_;
};

}  // namespace kernelscape
