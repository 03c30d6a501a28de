#pragma once

#include <QPointF>
#include <QRectF>
#include <span>
#include <vector>

#include "core/analysis/landscape/constraint_net.h"

namespace kernelscape {

/** Nodes beyond which a graph would be a blot: then only its list is of use. */
inline constexpr std::size_t most_constraint_nodes = 400;

/** Where the nodes of a constraint graph stand. */
struct ConstraintLayout {
  QRectF ellipse;              ///< around whose line the rim's discs stand
  double radius = 0;           ///< of these discs
  std::vector<QRectF> boxes;   ///< by node, around discs too; empty: there is no room
  bool labelled = false;       ///< the boxes inside have room for text
  std::vector<QPointF> knobs;  ///< by knob: the middle of its discs, on the ellipse

  /** Away from the ellipse's middle at a point of its line; of length 1. */
  QPointF outwards(QPointF on_line) const;
};

/**
 * Places knobs on the ellipse, grouped, in their order, and everything else inside, near what it is joined
 * to, with as much room for text as there is. No two nodes overlap. Nothing is random.
 * @param widths by node: of the labels inside, logical pixels
 * @param line_height of a label
 */
ConstraintLayout place_constraints(const ConstraintNet& net, std::span<const double> widths,
                                   double line_height, const QRectF& ellipse);

}  // namespace kernelscape
