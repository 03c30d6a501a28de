#pragma once

#include <QString>
#include <vector>

namespace kernelscape {

enum class AxisScale { Linear, Log2, Log10 };

/** The value as a length along an axis of this scale: itself or its logarithm; NaN where there is none. */
double scaled(double value, AxisScale scale);
/** The inverse. */
double unscaled(double length, AxisScale scale);

struct Interval {
  double low = 0;
  double high = 1;

  double span() const { return high - low; }  ///< in the values' own unit
  /** Both ends belong to it; NaN never does. */
  bool contains(double value) const { return value >= low && value <= high; }
  bool operator==(const Interval&) const = default;
};

/** A mark on an axis; minor ones have no label. */
struct Tick {
  double value = 0;
  QString label;
  bool major = true;
};

/**
 * A range that an axis of this scale can show: finite, low < high by at least a relative 1e-9, positive where
 * it is logarithmic, swapped where the ends were. An empty or impossible one becomes [0, 1] or [1, 10].
 */
Interval valid_range(Interval range, AxisScale scale);

/** `valid_range` and a margin of `fraction` of its length at both ends, in the scale's own measure. */
Interval padded_range(Interval range, AxisScale scale, double fraction);

/**
 * An axis as a value: what it shows, in which unit, how, and which part. The unit "s" is shown as s, min or
 * h, whichever suits the range. Whatever range is set, mapping and ticks use `valid_range` of it.
 */
struct Axis {
  QString title = {};
  QString unit = {};
  AxisScale scale = AxisScale::Linear;
  Interval range = {};
  bool whole = false;  ///< it counts: linear ticks and readouts are whole numbers

  bool logarithmic() const { return scale != AxisScale::Linear; }  ///< to base 2 or 10
  /** 0 at the low end and 1 at the high end; NaN for what a logarithmic axis cannot show (0, negative) and
   * for NaN. */
  double fraction(double value) const;
  /** The inverse. */
  double value_at(double fraction) const;
  /**
   * Ascending, inside the range; major ones at round numbers: 1, 2 or 5 times a power of ten, decades, or
   * powers of two; a logarithmic axis that shows less than about a decade has ticks as a linear one.
   * @param at_most that many major ticks, at least 2
   */
  std::vector<Tick> ticks(int at_most) const;
  /** "session time (min)": the title with the unit in which the ticks stand. */
  QString full_title() const;
  /** A value with its unit, for readouts. */
  QString text(double value) const;

  bool operator==(const Axis&) const = default;
};

}  // namespace kernelscape
