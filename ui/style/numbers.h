#pragma once

#include <QString>

#include "core/base/numbers.h"

namespace kernelscape {

inline constexpr double giga = 1e9;

// core/base/numbers.h, as the window's texts.

/** An en dash, where there is no number. */
inline QString no_number() { return QString::fromStdString(std::string(no_number_text)); }
/** At most `digits` significant digits, grouped: "1,234", "0.68". */
inline QString format_number(double value, int digits = 4) {
  return QString::fromStdString(number_text(value, digits));
}
/** With the prefix for its size: "12.3 ms", "1,234 GFLOPS"; a dash for NaN. */
inline QString format_quantity(double value, const QString& unit) {
  return QString::fromStdString(quantity_text(value, unit.toStdString()));
}
/** "3.2 s", "4 min 10 s", "2 h 5 min". */
inline QString format_duration(double seconds) { return QString::fromStdString(duration_text(seconds)); }
/** "4 min 10 s left"; "time left unknown" where it is not finite. */
inline QString format_duration_left(double seconds) {
  return QString::fromStdString(duration_left_text(seconds));
}
/** All digits, grouped: "1,234,567". */
inline QString format_count(std::int64_t count) { return QString::fromStdString(count_text(count)); }
/** Of a share from 0 to 1: "0.17 %", "> 99.9 %". */
inline QString format_percent(double fraction) { return QString::fromStdString(percent_text(fraction)); }
/** A p value to two digits: "0.031", "< 0.0001". */
inline QString format_probability(double p) {
  return p < 1e-4 ? QStringLiteral("< 0.0001") : format_number(p, 2);
}
/** Binary prefixes: "512 B", "1.5 KiB". */
inline QString format_bytes(double bytes) { return QString::fromStdString(bytes_text(bytes)); }
/** An axis label, with the decimals that the distance `step` to the next one needs. */
inline QString format_tick(double value, double step) {
  return QString::fromStdString(tick_text(value, step));
}

}  // namespace kernelscape
