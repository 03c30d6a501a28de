#pragma once

#include <algorithm>

#include "ui/charts/axis.h"
#include "ui/charts/landscape/performance_scale.h"
#include "ui/charts/landscape/topology_chart.h"

namespace kernelscape::charts {

/** Share of the radius that a node has if its value is not feasible. */
constexpr double no_member_share = 0.6;

/** The geometry of a topology chart. */
struct TopologyChart::Layout {
  QRectF plot;
  QRectF legend;
  double title_y = 0;
  double further_y = 0;
  double key_y = 0;
  double scale = 1;  ///< pixels per unit of the graph
  double radius = 1;
  QPointF origin;  ///< origin of the graph, in pixels
  std::vector<QPointF> nodes;
};

/** The meaning of the colours. */
struct TopologyChart::Scale {
  Axis axis;                     ///< axis of probabilities
  PerformanceScale performance;  ///< scale of the best measured performances
  bool any = false;

  /** Returns the position of a probability on the colour scale, clamped to [0, 1]. */
  double fraction_of_probability(double value) const {
    return axis.range.high > axis.range.low ? std::clamp(axis.fraction(value), 0.0, 1.0) : 1;
  }
};

}  // namespace kernelscape::charts
