#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/curve.h"
#include "core/trial/session_speeds.h"
#include "core/trial/table.h"
#include "ui/charts/curves/passing_rows.h"

namespace kernelscape::charts {

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
  std::vector<analysis::ImprovementPoint> improvements;
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

/** The best result of the session, as every other place shows it. */
struct BestLabel {
  double seconds = 0;  ///< 0: there is none
  QString mark = {};   ///< "confirmed", "unconfirmed", ...
};

/** The data of a ProgressChart. */
struct ProgressData {
  std::int64_t session = 0;  ///< for one session data only grow; data of another session replace them
  trial::Snapshot trials;    ///< with the machine's speed of each row, if it was read
  std::shared_ptr<const trial::SessionSpeeds> speeds = {};  ///< null: the machine's speed was not read
  double flops = 0;  ///< FLOPs of the task; 0: unknown, then only times are shown
  std::vector<analysis::ImprovementPoint> improvements;  ///< improvements among these trials
  std::vector<ReferenceLine> references;
  std::vector<GhostCurve> ghosts;
  std::vector<double> interruption_seconds;  ///< session times at which it was paused or interrupted
  double session_seconds = 0;                ///< so far; 0: the time of the last trial
  BestLabel best = {};
  std::optional<ConfirmedBest> confirmed;
  PassingRows
      passing;  ///< other trials are faint and their failures are left out; the curve is that of all trials
};

}  // namespace kernelscape::charts
