#pragma once

#include <filesystem>
#include <vector>

#include "core/study/training_run.h"
#include "ui/workspace/stored_work_runner.h"

namespace kernelscape {

/** A training that this window runs, at one moment. */
struct TrainingView {
  PredictorId id = 0;
  QString phase = {};  ///< what takes its time beside the epochs: "reading the data set"; empty: epochs go on
  std::vector<TrainingEpoch> epochs = {};  ///< done, those of earlier runs included
  std::int64_t most_epochs = 0;            ///< early stopping may end it before; 0: not known yet
  double seconds_left = -1;                ///< at most; -1: not known
  bool stopping = false;
};

using TrainingRequestId = std::int64_t;

/**
 * Stores trainings and runs them one after the other. One that was stopped, at once or not, keeps the epochs
 * that are done, and goes on from its checkpoint. An epoch waits for a kernel that is being timed on this
 * machine.
 */
class TrainingRunner final : public StoredWorkRunner<TrainingView> {
 public:
  explicit TrainingRunner(const std::filesystem::path& database, QObject* parent = nullptr);

  /** Checks a new training, stores and runs it: `created` or `refused` follow. */
  TrainingRequestId start(TrainingRequest training);

 private:
  class Observer;

  std::filesystem::path database_;
};

}  // namespace kernelscape
