#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "core/session/reconfirm.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

/** Remeasures the best trials of a session: measure_best_again(), or a replacement in tests. */
using Remeasure = std::function<Result<Confirmations>(
    Store&, SessionId, std::optional<std::int64_t> extra_trial, const StopRequest&)>;

/**
 * Remeasures the best trials of one session in the background; waits for the device like a run. Lives on the
 * window's thread; its destruction stops the measurement.
 */
class MeasuringAgain : public QObject {
  Q_OBJECT

 public:
  explicit MeasuringAgain(Workspace& workspace, Remeasure remeasure = measure_best_again,
                          QObject* parent = nullptr);
  ~MeasuringAgain() override { stop(); }

  /**
   * Starts to remeasure; does nothing while a measurement is in progress.
   * @param extra_trial trial to measure in addition to the best ones
   */
  void start(SessionId id, std::optional<std::int64_t> extra_trial = std::nullopt);
  /** Stops the measurement at once; `finished` follows. Does nothing if no measurement is in progress. */
  void stop();
  bool busy() const { return job_.busy(); }  ///< a measurement is in progress, or waits for the device

 signals:
  /** The job began; it may still be waiting for the device. */
  void started(kernelscape::SessionId id);
  /** The job ended; errors are reported as notices. */
  void finished(kernelscape::SessionId id, bool measured);

 private:
  Workspace& workspace_;
  Remeasure remeasure_;
  std::shared_ptr<StopRequest> stop_;
  JobTracker job_;
};

}  // namespace kernelscape
