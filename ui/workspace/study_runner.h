#pragma once

#include <filesystem>

#include "core/study/study_execution.h"
#include "ui/workspace/stored_work_runner.h"

namespace kernelscape {

/** A study that this window runs, at one moment. */
struct StudyRunView {
  StudyId id = 0;
  StudyProgress progress = {};
  bool stopping = false;
};

using StudyRequestId = std::int64_t;

/** Stores studies and runs them one after the other. */
class StudyRunner final : public StoredWorkRunner<StudyRunView> {
 public:
  /** @param measure_pass of networks; empty: they end without one */
  explicit StudyRunner(const std::filesystem::path& database, SessionRunner runner = run_on_this_machine,
                       PassMeasurer measure_pass = {}, QObject* parent = nullptr);

  /** Looks everything in a new study up, stores and runs it: `created` or `refused` follow. */
  StudyRequestId start(StudyDefinition study);
  /** The same for a file; an error of reading it is refused too. */
  StudyRequestId start_file(const std::filesystem::path& file);

 private:
  class Observer;

  std::filesystem::path database_;
};

}  // namespace kernelscape
