#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/curve.h"
#include "core/trial/trial_table.h"
#include "ui/charts/curves/passing_rows.h"

namespace kernelscape {

/** The quantity on the x axis of a chart of a session. */
enum class ProgressX { Trials, Seconds };

/** A labelled horizontal line: the vendor's kernel or the limit of the machine. */
struct ReferenceLine {
  QString label;
  double seconds = 0;  ///< per call of the kernel

  bool operator==(const ReferenceLine&) const = default;
};

/** The best-so-far curve of another session, pinned for comparison. */
struct GhostCurve {
  QString label;
  std::vector<ImprovementPoint> improvements;
  double trials = 0;           ///< trials at the end of the session
  double session_seconds = 0;  ///< session time at its end
  std::size_t arm = 0;         ///< index of colour and dashes
};

/** The repeated measurement of the best trial, the most reliable result. */
struct ConfirmedBest {
  std::int64_t row = 0;
  double first_quartile_seconds = 0;
  double median_seconds = 0;
  double third_quartile_seconds = 0;
};

/** The data of a ProgressChart. */
struct ProgressData {
  std::int64_t session = 0;  ///< for one session data only grow; data of another session replace them
  TrialSnapshot trials;
  double flops = 0;                            ///< FLOPs of the task; 0: unknown, then only times are shown
  std::vector<ImprovementPoint> improvements;  ///< improvements among these trials
  std::vector<ReferenceLine> references;
  std::vector<GhostCurve> ghosts;
  std::vector<double> interruption_seconds;  ///< session times at which it was paused or interrupted
  double session_seconds = 0;                ///< so far; 0: the time of the last trial
  std::optional<ConfirmedBest> confirmed;
  PassingRows
      passing;  ///< other trials are faint and their failures are left out; the curve is that of all trials
};

}  // namespace kernelscape
