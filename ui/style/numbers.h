#pragma once

#include <QString>

#include "core/base/numbers.h"

namespace kernelscape {

inline constexpr double giga = 1e9;

// core/base/numbers.h, as the window's texts.

inline QString no_number() { return QString::fromStdString(std::string(no_number_text)); }
inline QString format_number(double value, int digits = 4) {
  return QString::fromStdString(number_text(value, digits));
}
inline QString format_quantity(double value, const QString& unit) {
  return QString::fromStdString(quantity_text(value, unit.toStdString()));
}
inline QString format_duration(double seconds) { return QString::fromStdString(duration_text(seconds)); }
inline QString format_duration_left(double seconds) {
  return QString::fromStdString(duration_left_text(seconds));
}
inline QString format_count(std::int64_t count) { return QString::fromStdString(count_text(count)); }
inline QString format_percent(double fraction) { return QString::fromStdString(percent_text(fraction)); }
inline QString format_bytes(double bytes) { return QString::fromStdString(bytes_text(bytes)); }
inline QString format_tick(double value, double step) {
  return QString::fromStdString(tick_text(value, step));
}

}  // namespace kernelscape
