#pragma once

#include <algorithm>

#include "ui/charts/axis.h"
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

/** What the ends of the colours stand for. */
struct TopologyChart::Scale {
  Axis axis;
  bool any = false;
  bool reversed = false;

  /** On the colours, clamped to 0 to 1; 0 is the high end where the scale is reversed. */
  double fraction(double value) const {
    const double t = axis.range.high > axis.range.low ? std::clamp(axis.fraction(value), 0.0, 1.0) : 1;
    return reversed ? 1 - t : t;
  }
};

}  // namespace kernelscape
