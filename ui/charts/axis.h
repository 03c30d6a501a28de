#pragma once

#include <QString>
#include <vector>

namespace kernelscape::charts {

enum class AxisScale { Linear, Log2, Log10 };

/**
 * Returns the value as a length along an axis of this scale: the value itself or its logarithm; NaN if the
 * scale cannot show it.
 */
double scaled(double value, AxisScale scale);
/** Returns the value at a length along an axis of this scale: the inverse of `scaled`. */
double unscaled(double length, AxisScale scale);

struct Interval {
  double low = 0;
  double high = 1;

  double span() const { return high - low; }  ///< Returns the length of the interval in the values' own unit
  /** Returns true if the value lies in the interval, both ends included. NaN never does. */
  bool contains(double value) const { return value >= low && value <= high; }
  bool operator==(const Interval&) const = default;
};

/** A mark on an axis. Minor ticks have no label. */
struct Tick {
  double value = 0;
  QString label;
  bool major = true;

  bool operator==(const Tick&) const = default;
};

/**
 * Returns a range that an axis of this scale can show: finite, low < high by at least a relative 1e-9,
 * positive on a logarithmic scale. Ends in the wrong order are swapped. An empty or impossible range becomes
 * [0, 1] or, on a logarithmic scale, [1, 10].
 */
Interval valid_range(Interval range, AxisScale scale);

/** Returns `valid_range` with a margin of `fraction` of its length at both ends, measured along the scale. */
Interval padded_range(Interval range, AxisScale scale, double fraction);

/**
 * An axis as a value: what it shows, its unit, its scale and the visible range. The unit "s" is shown as s,
 * min or h, whichever suits the range. Mapping and ticks use `valid_range` of `range`.
 */
struct Axis {
  QString title = {};
  QString unit = {};
  AxisScale scale = AxisScale::Linear;
  Interval range = {};
  bool whole = false;            ///< the values are counts: linear ticks and readouts are whole numbers
  std::vector<Tick> named = {};  ///< names of places on a linear axis, ascending, which replace its ticks

  /** Returns true if the scale is logarithmic, to base 2 or 10. */
  bool logarithmic() const { return scale != AxisScale::Linear; }
  /**
   * Returns the position of a value on the axis: 0 at the low end, 1 at the high end. Returns NaN for NaN and
   * for values that a logarithmic axis cannot show (0 and negative values).
   */
  double fraction(double value) const;
  /** Returns the value at a position on the axis: the inverse of `fraction`. */
  double value_at(double fraction) const;
  /**
   * Returns the ticks inside the range, ascending. Major ticks stand at round numbers: 1, 2 or 5 times a
   * power of ten, decades, or powers of two. A logarithmic axis that shows less than about a decade has the
   * ticks of a linear axis.
   * @param at_most the maximum number of major ticks, at least 2
   */
  std::vector<Tick> ticks(int at_most) const;
  /** Returns the title with the unit of the tick labels: "session time (min)". */
  QString full_title() const;
  /** Returns a value with its unit, or the name of the nearest named place, for readouts. */
  QString text(double value) const;

  bool operator==(const Axis&) const = default;
};

}  // namespace kernelscape::charts
