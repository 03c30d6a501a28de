#pragma once

#include <filesystem>
#include <vector>

#include "core/study/training_run.h"
#include "ui/workspace/stored_work_runner.h"

namespace kernelscape::workspace {

/** State of a training that this window runs. */
struct TrainingView {
  store::PredictorId id = 0;
  QString phase = {};  ///< the step in progress outside the epochs: "reading the data set"; empty: epochs are
                       ///< in progress
  std::vector<predictor::TrainingEpoch> epochs = {};  ///< completed epochs, including those of earlier runs
  std::int64_t max_epochs = 0;  ///< early stopping may end the training before; 0: not known yet
  double seconds_left = -1;     ///< upper bound; -1: not known
  bool stopping = false;
};

using TrainingRequestId = std::int64_t;

/**
 * Stores trainings, and runs them one after the other. A stopped training, gracefully or at once, keeps its
 * completed epochs and resumes from its checkpoint. An epoch waits while a kernel is being timed on this
 * machine.
 */
class TrainingRunner final : public StoredWorkRunner<TrainingView> {
 public:
  explicit TrainingRunner(const std::filesystem::path& database, QObject* parent = nullptr);

  /** Checks a new training, stores and runs it; the signal `created` or `refused` follows. */
  TrainingRequestId start(study::TrainingRequest training);

 private:
  class Observer;

  std::filesystem::path database_;
};

}  // namespace kernelscape::workspace
