#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/study/training_run.h"
#include "ui/workspace/service.h"

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
 * Stores trainings and runs them one after the other by a service, in this process. One that was stopped goes
 * on from its checkpoint when it is run again. An epoch waits for a kernel that is being timed on this
 * machine. Lives on the window's thread; signals come there and are merged.
 */
class TrainingRunner : public QObject {
  Q_OBJECT

 public:
  explicit TrainingRunner(std::filesystem::path database, QObject* parent = nullptr);
  /** Stops what runs, to be gone on with later, and waits for it: within an epoch. */
  ~TrainingRunner() override;

  /** Checks a new training, stores and runs it: `created` or `refused` follow. */
  TrainingRequestId start(TrainingRequest training);
  /** Goes on with a stored one; nothing where it runs or waits here. */
  void resume(PredictorId id);
  /** It keeps the epochs that are done. One that waits is taken out. */
  void stop(PredictorId id);
  /** Every training: used when the window closes. */
  void stop_all();

  /** The one that runs; none: idle, or a new one is looked up. */
  std::optional<TrainingView> active() const;
  /** Runs, or waits for another one. */
  bool has(PredictorId id) const;
  bool idle() const;  ///< nothing runs, waits or is looked up

 signals:
  /** The active training, its progress or the queue is another: many changes, one signal. */
  void changed();
  /** A new training was stored and runs now. @param request of `start` */
  void created(qint64 request, qint64 predictor);
  /** Nothing was stored. */
  void refused(qint64 request, const QString& message);
  /** @param error why it could not go on; empty: it is done, or was stopped */
  void ended(qint64 predictor, const QString& error);

 private:
  struct Task {
    TrainingRequestId request = 0;
    std::optional<TrainingRequest> training;
    std::optional<PredictorId> predictor;
  };
  class Observer;

  TrainingRequestId add(Task task);
  Service::Pause run_next();
  Result<PredictorId> create(const Task& task);
  Status execute(PredictorId id);

  std::filesystem::path database_;
  mutable std::mutex mutex_;
  std::deque<Task> queue_;
  TrainingRequestId next_request_ = 1;
  std::optional<TrainingView> active_;
  std::unique_ptr<StopRequest> stop_;  ///< of the active one, or of what is looked up
  Service service_;
};

}  // namespace kernelscape
