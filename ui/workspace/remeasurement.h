#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "core/session/reconfirm.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::workspace {

/** Remeasures the best trials of a session: measure_best_again(), or a replacement in tests. */
using Remeasure = std::function<Result<measure::Confirmations>(
    store::Store&, store::SessionId, std::optional<std::int64_t> extra_trial, const session::StopRequest&)>;

/**
 * Remeasures the best trials of one session in the background; waits for the device like a run. Lives on the
 * window's thread; its destruction stops the measurement.
 */
class MeasuringAgain : public QObject {
  Q_OBJECT

 public:
  explicit MeasuringAgain(Workspace& workspace, Remeasure remeasure = session::measure_best_again,
                          QObject* parent = nullptr);
  ~MeasuringAgain() override { stop(); }

  /**
   * Starts to remeasure; does nothing while a measurement is in progress.
   * @param extra_trial trial to measure in addition to the best ones
   */
  void start(store::SessionId id, std::optional<std::int64_t> extra_trial = std::nullopt);
  /** Stops the measurement at once; `finished` follows. Does nothing if no measurement is in progress. */
  void stop();
  bool busy() const { return job_.busy(); }  ///< a measurement is in progress, or waits for the device
  /** Returns the trial that is measured in addition to the best ones; nullopt: only these. */
  std::optional<std::int64_t> extra_trial() const { return extra_trial_; }

 signals:
  /** The job began; it may still be waiting for the device. */
  void started(kernelscape::store::SessionId id);
  /**
   * The job ended; errors are also reported as notices. @param found what the measurement found, or why
   * nothing was measured, as sentences; empty if the user stopped it
   */
  void finished(kernelscape::store::SessionId id, bool measured, const QString& found);

 private:
  Workspace& workspace_;
  Remeasure remeasure_;
  std::shared_ptr<session::StopRequest> stop_;
  std::optional<std::int64_t> extra_trial_;
  JobTracker job_;
};

}  // namespace kernelscape::workspace
