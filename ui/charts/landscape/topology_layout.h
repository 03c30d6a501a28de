#pragma once

#include <algorithm>

#include "ui/charts/axis.h"
#include "ui/charts/landscape/performance_scale.h"
#include "ui/charts/landscape/topology_chart.h"

namespace kernelscape {

/** Of a node's radius, where there is no member. */
constexpr double no_member_share = 0.6;

/** Where a topology chart paints. */
struct TopologyChart::Layout {
  QRectF plot;
  QRectF legend;
  double title_y = 0;
  double further_y = 0;
  double key_y = 0;
  double scale = 1;  ///< pixels per unit of the graph
  double radius = 1;
  QPointF origin;  ///< of the graph, in pixels
  std::vector<QPointF> nodes;
};

/** What the colours stand for. */
struct TopologyChart::Scale {
  Axis axis;                     ///< of probabilities
  PerformanceScale performance;  ///< of the best measured ones
  bool any = false;

  /** On the colours, clamped to 0 to 1. */
  double fraction_of_probability(double value) const {
    return axis.range.high > axis.range.low ? std::clamp(axis.fraction(value), 0.0, 1.0) : 1;
  }
};

}  // namespace kernelscape
