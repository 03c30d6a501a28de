#pragma once

#include <filesystem>

#include "core/study/study_execution.h"
#include "ui/workspace/stored_work_runner.h"

namespace kernelscape {

/** State of a study that this window runs. */
struct StudyRunView {
  StudyId id = 0;
  StudyProgress progress = {};
  bool stopping = false;
};

using StudyRequestId = std::int64_t;

/** Stores studies, and runs them one after the other. */
class StudyRunner final : public StoredWorkRunner<StudyRunView> {
 public:
  /**
   * @param measure_pass measures the forward passes of networks; empty: studies of networks end without this
   * measurement
   */
  explicit StudyRunner(const std::filesystem::path& database, SessionRunner runner = run_on_this_machine,
                       PassMeasurer measure_pass = {}, QObject* parent = nullptr);

  /** Checks a new study, stores and runs it; the signal `created` or `refused` follows. */
  StudyRequestId start(StudyDefinition study);
  /** Starts a study from a file; an error in reading the file is reported by `refused` too. */
  StudyRequestId start_file(const std::filesystem::path& file);

 private:
  class Observer;

  std::filesystem::path database_;
};

}  // namespace kernelscape
