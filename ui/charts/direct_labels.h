#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "ui/charts/canvas.h"

namespace kernelscape::charts {

/** A label that belongs to a line at height y. */
struct DirectLabel {
  double y = 0;  ///< pixels
  QString text;
  Ink ink;
  bool bold = false;
  double left = HUGE_VAL;  ///< preferred left end of the label; it is used if there is room, otherwise the
                           ///< label stands at the border
};

/**
 * Returns heights at which labels of this height do not overlap, in the order of the labels. Each label stays
 * as near to its own height as possible; all lie within [top, bottom] if they fit.
 */
std::vector<double> spread_labels(const std::vector<double>& heights, double label_height, double top,
                                  double bottom);

/**
 * Paints the labels beside their lines without overlap, on a background that keeps them readable over data.
 * @param area that the labels may use
 * @param side Qt::AlignLeft or Qt::AlignRight: the border of the area at which the labels stand
 */
void paint_direct_labels(Canvas& canvas, const QRectF& area, Qt::Alignment side,
                         const std::vector<DirectLabel>& labels);

/** The parts of a plot that labels must not cover: lines, points and other labels. */
class LabelObstacles {
 public:
  explicit LabelObstacles(const QRectF& plot) : plot_(plot) {}

  /** Adds an area; what lies outside of the plot is left out. */
  void add(const QRectF& area);
  /** Adds a line of steps: level to the next x, then upright. @param margin added on all sides, in pixels */
  void add_steps(std::span<const QPointF> points, double margin);
  /** Returns true if an area covers a part of an obstacle. */
  bool hit_by(const QRectF& area) const;

 private:
  QRectF plot_;
  std::vector<QRectF> areas_;
};

/**
 * Paints the labels in their order, each as near to its line as it covers no obstacle, and adds them to the
 * obstacles. Labels on the right move up and down; labels on the left move along their line, then up and
 * down. A label that finds no free place stands at its line.
 * @param area, side as for `paint_direct_labels`
 */
void paint_free_labels(Canvas& canvas, const QRectF& area, Qt::Alignment side,
                       const std::vector<DirectLabel>& labels, LabelObstacles& obstacles);

}  // namespace kernelscape::charts
