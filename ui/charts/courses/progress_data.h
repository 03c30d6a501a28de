#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/curve.h"
#include "core/trial/trial_table.h"
#include "ui/charts/courses/passing_rows.h"

namespace kernelscape {

/** What a chart of a session's course is drawn against. */
enum class ProgressX { Trials, Seconds };

/** A horizontal line with a label of its own: the vendor's kernel, the limit of the machine. */
struct ReferenceLine {
  QString label;
  double seconds = 0;  ///< per call of the kernel

  bool operator==(const ReferenceLine&) const = default;
};

/** The best-so-far curve of another session, pinned for comparison. */
struct GhostCurve {
  QString label;
  std::vector<ImprovementPoint> improvements;
  double trials = 0;           ///< at its end
  double session_seconds = 0;  ///< at its end
  std::size_t arm = 0;         ///< which colour and dashes
};

/** The best trial measured again: the number that may be relied on. */
struct ConfirmedBest {
  std::int64_t row = 0;
  double first_quartile_seconds = 0;
  double median_seconds = 0;
  double third_quartile_seconds = 0;
};

/** What a ProgressChart shows. */
struct ProgressData {
  std::int64_t session = 0;  ///< the trials of one session only grow; another session starts anew
  TrialSnapshot trials;
  double flops = 0;                            ///< of the task; 0: unknown, then only times are shown
  std::vector<ImprovementPoint> improvements;  ///< of these trials
  std::vector<ReferenceLine> references;
  std::vector<GhostCurve> ghosts;
  std::vector<double> interruption_seconds;  ///< session times at which it was paused or interrupted
  double session_seconds = 0;                ///< so far; 0: that of the last trial
  std::optional<ConfirmedBest> confirmed;
  PassingRows passing;  ///< the others are faint, their failures left out; the curve is that of all trials
};

}  // namespace kernelscape
