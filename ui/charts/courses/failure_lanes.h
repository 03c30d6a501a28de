#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/trial/trial_table.h"
#include "ui/charts/courses/progress_data.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape {

/**
 * Failed trials in lanes below the x axis of a chart, over trials or session time as a rule: one for each
 * category that occurred, marked with its letter.
 */
class FailureLanes {
 public:
  /** Forgets all failures; lanes stay until `take_changed`. */
  void clear();
  /** @param row of the trial in its table, where it failed */
  void append(const TrialRow& trial, std::int64_t row);
  /** The same for a chart whose x is neither trials nor time: it stands at `x` for both. */
  void append_at(double x, ErrorCategory category, std::int64_t row);

  /** For XyChart::set_lanes, where others are needed than at the last call. */
  std::optional<std::vector<Lane>> take_changed();

  /**
   * Marks in the frame's lanes, each clipped to its own.
   * @param x along which axis they stand
   */
  void paint(Canvas& canvas, const PlotFrame& frame, ProgressX x) const;

  /** Whether a point of the widget lies in one of the lanes. */
  bool cover(const PlotFrame& frame, QPointF position) const;
  struct Hit {
    std::int64_t row = 0;
    QPointF position;
  };
  /** The failure nearest to a point in a lane, at most `reach` pixels away along x. */
  std::optional<Hit> nearest(const PlotFrame& frame, QPointF position, ProgressX x, double reach) const;
  /** Where failures of a category stand; none: it has no lane. */
  std::optional<double> y_of(const PlotFrame& frame, ErrorCategory category) const;

 private:
  struct Failures {
    std::vector<double> trials;
    std::vector<double> seconds;
    std::vector<std::uint32_t> rows;
    const std::vector<double>& along(ProgressX x) const { return x == ProgressX::Trials ? trials : seconds; }
  };

  Failures& lane_of(ErrorCategory category);
  void paint_lane(Canvas& canvas, const PlotFrame& frame, const QRectF& lane, ErrorCategory category,
                  const std::vector<double>& along) const;

  std::array<Failures, error_category_count> failures_;
  std::vector<ErrorCategory> shown_;  ///< top first
};

}  // namespace kernelscape
