#pragma once

#include <QPointF>
#include <QRectF>
#include <span>
#include <vector>

#include "core/analysis/landscape/constraint_net.h"

namespace kernelscape::charts {

/** Maximum number of nodes of a readable graph; with more, only its list is shown. */
inline constexpr std::size_t max_constraint_nodes = 400;

/** The positions of the nodes of a constraint graph. */
struct ConstraintLayout {
  QRectF ellipse;              ///< the line on which the rim's discs stand
  double radius = 0;           ///< radius of these discs
  std::vector<QRectF> boxes;   ///< by node, including discs; empty: there is no room
  bool labelled = false;       ///< the boxes inside have room for their labels
  std::vector<QPointF> knobs;  ///< by knob: the centre of its discs, on the ellipse

  /** Returns the outward direction at a point of the ellipse's line, of length 1. */
  QPointF outwards(QPointF on_line) const;
};

/**
 * Places knobs on the ellipse, grouped, in their order, and all other nodes inside, near their neighbours,
 * with as much room for text as there is. No two nodes overlap. The result is deterministic.
 * @param widths by node: widths of the labels inside, logical pixels
 * @param line_height of a label
 */
ConstraintLayout place_constraints(const analysis::ConstraintNet& net, std::span<const double> widths,
                                   double line_height, const QRectF& ellipse);

}  // namespace kernelscape::charts
