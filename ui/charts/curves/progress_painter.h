#pragma once

#include <optional>
#include <vector>

#include "ui/charts/curves/progress_data.h"
#include "ui/charts/curves/progress_scale.h"
#include "ui/charts/direct_labels.h"
#include "ui/charts/qt_plot.h"

namespace kernelscape::charts {

/** Paints the curves of a progress chart over its trials, with their labels and the confirmed result. */
class ProgressPainter {
 public:
  /** Makes a painter of a plot; data and frame outlive it. */
  ProgressPainter(const ProgressData& data, const ProgressScale& scale, const PlotFrame& frame);

  /** Returns the curves of other sessions, the curve of this one, and the reference lines. */
  std::vector<PlotSeries> series() const;
  /** Paints what lies over the curves: labels, improvements, and the confirmed result. */
  void paint_marks(Canvas& canvas) const;

 private:
  std::vector<QPointF> curve(const std::vector<analysis::ImprovementPoint>& points, double end) const;
  LabelObstacles label_obstacles() const;
  void label_references(Canvas& canvas, LabelObstacles& obstacles) const;
  void label_curves(Canvas& canvas, LabelObstacles& obstacles) const;
  void paint_improvements(Canvas& canvas) const;
  void paint_confirmed(Canvas& canvas) const;
  std::optional<QPointF> confirmed_position() const;
  /** Returns the place of the confirmed result's interval, with the ends of its whisker; empty: none. */
  QRectF confirmed_whisker() const;

  const ProgressData& data_;
  ProgressScale scale_;
  const PlotFrame& frame_;
  double end_;  ///< x at the session's end
};

}  // namespace kernelscape::charts
