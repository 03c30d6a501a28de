#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "core/session/confirm_again.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

/** Measures a session's best trials again: measure_best_again(), or a test's own. */
using Remeasure = std::function<Result<Confirmations>(
    Store&, SessionId, std::optional<std::int64_t> extra_trial, const StopRequest&)>;

/**
 * Measures the best trials of one session again in the background; it waits for the device like a run. Lives
 * on the window's thread; going away it stops what it does.
 */
class MeasuringAgain : public QObject {
  Q_OBJECT

 public:
  explicit MeasuringAgain(Workspace& workspace, Remeasure remeasure = measure_best_again,
                          QObject* parent = nullptr);
  ~MeasuringAgain() override { stop(); }

  /** Nothing while it measures already. @param extra_trial measured as well */
  void start(SessionId id, std::optional<std::int64_t> extra_trial = std::nullopt);
  /** At once; `finished` follows. Nothing where it does not measure. */
  void stop();
  bool busy() const { return job_.busy(); }  ///< measures, or waits for the device

 signals:
  /** The job began; it may still wait for the device. */
  void started(kernelscape::SessionId id);
  /** Errors stand in the notices. */
  void finished(kernelscape::SessionId id, bool measured);

 private:
  Workspace& workspace_;
  Remeasure remeasure_;
  std::shared_ptr<StopRequest> stop_;
  JobTracker job_;
};

}  // namespace kernelscape
