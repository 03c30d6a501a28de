#pragma once

#include <filesystem>
#include <string>

#include "core/study/execution.h"
#include "ui/workspace/stored_work_runner.h"

namespace kernelscape::workspace {

/** State of a study that this window runs. */
struct StudyRunView {
  store::StudyId id = 0;
  study::Progress progress = {};
  /** Names the device that the study waits for, and its user: another process; empty: it does not wait. */
  std::string awaited = {};
  bool measuring = false;   ///< the study uses a device of this machine
  std::string device = {};  ///< that it uses or waits for: "cuda:0"; empty: none so far
  bool stopping = false;
};

using StudyRequestId = std::int64_t;

/** Stores studies, and runs them one after the other. */
class StudyRunner final : public StoredWorkRunner<StudyRunView> {
 public:
  /**
   * @param measurements of networks as a whole, made when a study of a network has run to its end
   * @param round_measurement of networks as a whole, made between their rounds; empty: none
   */
  explicit StudyRunner(const std::filesystem::path& database,
                       session::Runner runner = session::run_on_this_machine,
                       std::vector<study::NetworkMeasurement> measurements = {},
                       study::MakeRoundMeasurement round_measurement = {}, QObject* parent = nullptr);

  /** Checks a new study, stores and runs it; the signal `created` or `refused` follows. */
  StudyRequestId start(study::Definition study);
  /** Starts a study from a file; an error in reading the file is reported by `refused` too. */
  StudyRequestId start_file(const std::filesystem::path& file);

 private:
  class Observer;

  std::filesystem::path database_;
};

}  // namespace kernelscape::workspace
