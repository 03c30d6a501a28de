#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "ui/charts/canvas.h"

namespace kernelscape::charts {

/** A value that the legend of a scale names, and the place of its colour in viridis, 0 to 1. */
struct ScaleMark {
  double brightness = 0;
  double value = 0;
};

/**
 * Colours performances by their rank among the distinct values of a chart: the worst has the darkest colour
 * of viridis, the best the brightest, and the others stand at equal distances between them. On a linear scale
 * nearly all would have one colour as soon as one is many times slower than the rest.
 *
 * Values that differ by less than 5 % have a linear scale of that width instead: it shows them in nearly one
 * colour, where ranks would spread noise over all colours.
 */
class PerformanceScale {
 public:
  PerformanceScale() = default;
  /** Makes a scale of values; values that are not positive and finite are ignored. */
  PerformanceScale(std::vector<double> values, bool higher_is_better);

  /** Returns true if there is no value to scale by. */
  bool empty() const { return values_.empty(); }
  /** Returns true if the values differ, but by less than 5 % of the largest. */
  bool nearly_equal() const;
  /**
   * Returns by how much the largest value exceeds the smallest one, as a share of the largest; 0 if the scale
   * is empty.
   */
  double relative_range() const;
  /** Returns the place of a value's colour in viridis: 0 the worst, 1 the best; clamped. */
  double brightness(double value) const;
  /** Returns the value that has a colour; the scale must not be empty. @param brightness 0 to 1 */
  double value_at(double brightness) const;
  /** Returns at most `max_count` values at equal distances of colour, from the worst to the best. */
  std::vector<ScaleMark> marks(std::size_t max_count = 5) const;

 private:
  double ascending_place(double value) const;

  std::vector<double> values_;  ///< distinct, ascending
  bool higher_is_better_ = true;
};

/** Writes a value of a scale: "341 GFLOPS". */
using ScaleText = std::function<QString(double)>;

/** Returns the width in pixels of the widest label of a vertical scale. */
double performance_label_width(const PerformanceScale& scale, const ScaleText& text);

/** Paints the scale vertically, the best at the top, with as many values at its right as fit its height. */
void paint_upright_scale(Canvas& canvas, const QRectF& bar, const PerformanceScale& scale,
                         const ScaleText& text);

/**
 * Paints the scale horizontally, from the worst at the left to the best: the values stand between the pieces
 * of the bar. It names five values, or fewer if there is little room.
 * @param at left end, middle of the line @param room pixels @return the width of the painted scale, 0 if it
 * does not fit
 */
double paint_level_scale(Canvas& canvas, QPointF at, double room, const PerformanceScale& scale,
                         const QString& unit);
/** Returns the width of a scale painted by `paint_level_scale`. */
double level_scale_width(double room, const PerformanceScale& scale, const QString& unit);

}  // namespace kernelscape::charts
