#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/trial/table.h"
#include "ui/charts/curves/progress_data.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/**
 * Failed trials in lanes below the x axis of a chart, usually over trials or session time: one lane for each
 * category that occurred, marked with its letter.
 */
class FailureLanes {
 public:
  /** Removes all failures; lanes stay until `take_changed`. */
  void clear();
  /** Adds a trial if it failed. @param row of the trial in its table */
  void append(const trial::Row& trial, std::int64_t row);
  /** Adds a failed trial at a position of x, for a chart whose x is neither trials nor time. */
  void append_at(double x, trial::ErrorCategory category, std::int64_t row);

  /** Returns lanes for XyChart::set_lanes if they changed since the last call, otherwise nullopt. */
  std::optional<std::vector<Lane>> take_changed();

  /**
   * Paints the marks in the frame's lanes, each clipped to its lane.
   * @param x quantity of the x axis
   */
  void paint(Canvas& canvas, const PlotFrame& frame, ProgressX x) const;

  /** Returns true if a point of the widget lies in one of the lanes. */
  bool cover(const PlotFrame& frame, QPointF position) const;
  struct Hit {
    std::int64_t row = 0;
    QPointF position;
  };
  /** Returns the failure nearest to a point in a lane, at most `reach` pixels away along x. */
  std::optional<Hit> nearest(const PlotFrame& frame, QPointF position, ProgressX x, double reach) const;
  /** Returns the height at which failures of a category stand; nullopt: the category has no lane. */
  std::optional<double> y_of(const PlotFrame& frame, trial::ErrorCategory category) const;

 private:
  struct Failures {
    std::vector<double> trials;
    std::vector<double> seconds;
    std::vector<std::uint32_t> rows;
    const std::vector<double>& along(ProgressX x) const { return x == ProgressX::Trials ? trials : seconds; }
  };

  Failures& lane_of(trial::ErrorCategory category);
  void paint_lane(Canvas& canvas, const PlotFrame& frame, const QRectF& lane, trial::ErrorCategory category,
                  const std::vector<double>& along) const;

  std::array<Failures, trial::error_category_count> failures_;
  std::vector<trial::ErrorCategory> shown_;  ///< top first
};

}  // namespace kernelscape::charts
