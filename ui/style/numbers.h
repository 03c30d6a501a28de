#pragma once

#include <QString>

#include "core/base/numbers.h"

namespace kernelscape::style {

inline constexpr double giga = 1e9;

// The functions of core/base/numbers.h with QString results.

/** Returns an en dash, the text for a missing number. */
inline QString no_number() { return QString::fromStdString(std::string(base::no_number_text)); }
/** Writes a number with at most `digits` significant digits, grouped: "1,234", "0.68". */
inline QString format_number(double value, int digits = 4) {
  return QString::fromStdString(base::number_text(value, digits));
}
/** Writes a quantity with the unit prefix for its size: "12.3 ms", "1,234 GFLOPS"; a dash for NaN. */
inline QString format_quantity(double value, const QString& unit) {
  return QString::fromStdString(base::quantity_text(value, unit.toStdString()));
}
/** Writes a duration: "3.2 s", "4 min 10 s", "2 h 5 min". */
inline QString format_duration(double seconds) {
  return QString::fromStdString(base::duration_text(seconds));
}
/** Writes the remaining time: "4 min 10 s left", or "time left unknown" if it is not finite. */
inline QString format_duration_left(double seconds) {
  return QString::fromStdString(base::duration_left_text(seconds));
}
/** Writes a count with all digits, grouped: "1,234,567". */
inline QString format_count(std::int64_t count) { return QString::fromStdString(base::count_text(count)); }
/** Writes a share from 0 to 1 as a percentage: "0.17 %", "> 99.9 %". */
inline QString format_percent(double fraction) {
  return QString::fromStdString(base::percent_text(fraction));
}
/** Writes a p value with two significant digits: "0.031", "< 0.0001". */
inline QString format_probability(double p) {
  return p < 1e-4 ? QStringLiteral("< 0.0001") : format_number(p, 2);
}
/** Writes a number of bytes with binary prefixes: "512 B", "1.5 KiB". */
inline QString format_bytes(double bytes) { return QString::fromStdString(base::bytes_text(bytes)); }
/** Writes an axis label with the number of decimals that the distance `step` between ticks needs. */
inline QString format_tick(double value, double step) {
  return QString::fromStdString(base::tick_text(value, step));
}

}  // namespace kernelscape::style
