#include "ui/charts/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double min_relative_span = 1e-9;
/** Beyond this value, differences and products of the mapping would overflow. */
constexpr double largest_value = 1e290;
constexpr double smallest_positive = 1e-290;
/** Names take one line of text each, while numbers are further apart. */
constexpr int lines_per_tick = 2;
/** The distance outside of the range, as a share of it, that a tick may have because of rounding. */
constexpr double tolerance = 1e-9;

/** Returns the smallest of 1, 2, 5 times a power of ten that is not below `step`. */
double round_up(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= step * (1 - 1e-12)) return factor * power;
  return 10 * power;
}

/** Returns k * step without the accumulated error of adding a step like 0.1. */
double multiple(double count, double step) {
  const double exponent = std::floor(std::log10(step) + 1e-12);
  if (exponent >= 0 || exponent < -300) return count * step;
  const double scale = std::pow(10, -exponent);
  return count * std::round(step * scale) / scale;
}

/** Returns the number of parts into which a step is divided: 1 and 5 into 5, 2 into 4. */
int minor_parts(double step) {
  const double leading = step / std::pow(10, std::floor(std::log10(step) + 1e-12));
  return std::lround(leading) == 2 ? 4 : 5;
}

/** The unit in which times are written on an axis. */
struct TimeUnit {
  const char* name;
  double seconds;
};

TimeUnit time_unit(const Interval& range) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (size >= 3 * 3600) return {"h", 3600};
  if (size >= 180) return {"min", 60};
  return {"s", 1};
}

/** Returns the value of one unit of the labels in the axis' own unit. */
double unit_factor(const Axis& axis) {
  const bool time = axis.unit == QLatin1String("s") && !axis.logarithmic();
  return time ? time_unit(valid_range(axis.range, axis.scale)).seconds : 1;
}

void add(std::vector<Tick>& ticks, const Interval& range, double value, const QString& label, bool major) {
  const double slack = tolerance * std::min(range.span(), std::abs(value));
  if (value < range.low - slack || value > range.high + slack) return;
  ticks.push_back({std::clamp(value, range.low, range.high), label, major});
}

std::vector<Tick> linear_ticks(const Interval& range, int at_most, double factor, bool whole) {
  double step = round_up(range.span() / factor / std::max(1, at_most - 1));
  if (whole) step = std::max(step, 1.0);
  int parts = minor_parts(step);
  if (whole && std::fmod(step, parts) != 0) parts = 1;
  const double first = std::floor(range.low / factor / step);
  std::vector<Tick> ticks;
  for (int count = 0; count <= at_most + 1; ++count) {
    const double value = multiple(first + count, step);
    add(ticks, range, value * factor, style::format_tick(value, step), true);
    for (int part = 1; part < parts; ++part)
      add(ticks, range, (value + step * part / parts) * factor, {}, false);
  }
  return ticks;
}

QString power_label(double value) {
  if (value >= 1e-4 && value < 1e7) return style::format_number(value, 7);
  return style::format_number(value, 3);
}

/**
 * Returns the ticks of decades: with minor ticks 2 to 9 if all decades are labelled, otherwise with minor
 * ticks at the decades between the labels.
 */
std::vector<Tick> decade_ticks(const Interval& range, int at_most) {
  const double low = std::floor(std::log10(range.low));
  const double high = std::ceil(std::log10(range.high));
  const double stride = std::max(1.0, std::ceil((high - low + 1) / at_most));
  const double first = std::floor(low / stride) * stride;
  std::vector<Tick> ticks;
  for (double exponent = first; exponent <= high; exponent += 1) {
    const double value = std::pow(10, exponent);
    const bool major = std::fmod(exponent - first, stride) == 0;
    add(ticks, range, value, major ? power_label(value) : QString(), major);
    for (int digit = 2; stride == 1 && digit <= 9; ++digit) add(ticks, range, digit * value, {}, false);
  }
  return ticks;
}

std::vector<Tick> binary_ticks(const Interval& range, int at_most) {
  const double low = std::floor(std::log2(range.low));
  const double high = std::ceil(std::log2(range.high));
  const double stride = std::max(1.0, std::ceil((high - low + 1) / at_most));
  const double first = std::floor(low / stride) * stride;
  std::vector<Tick> ticks;
  for (double exponent = first; exponent <= high; exponent += 1) {
    const double value = std::exp2(exponent);
    const bool major = std::fmod(exponent - first, stride) == 0;
    if (stride > 16 && !major) continue;
    add(ticks, range, value, major ? power_label(value) : QString(), major);
  }
  return ticks;
}

/** Labels 1, 2 and 5 of each decade, if few decades are visible. */
std::vector<Tick> label_between_decades(std::vector<Tick> ticks) {
  for (Tick& tick : ticks) {
    const double leading = tick.value / std::pow(10, std::floor(std::log10(tick.value) + 1e-9));
    const long digit = std::lround(leading);
    if (tick.major || (digit != 2 && digit != 5) || std::abs(leading - static_cast<double>(digit)) > 1e-6)
      continue;
    tick = {tick.value, power_label(tick.value), true};
  }
  return ticks;
}

/** Returns those of the named places that are in the range, or every second, third, ... of them. */
std::vector<Tick> named_ticks(const std::vector<Tick>& named, const Interval& range, int at_most) {
  std::vector<Tick> ticks;
  for (const Tick& tick : named)
    if (range.contains(tick.value)) ticks.push_back(tick);
  const std::size_t stride =
      (ticks.size() + static_cast<std::size_t>(at_most) - 1) / static_cast<std::size_t>(at_most);
  for (std::size_t kept = 0; stride > 1 && kept * stride < ticks.size(); ++kept)
    ticks[kept] = ticks[kept * stride];
  if (stride > 1) ticks.resize((ticks.size() + stride - 1) / stride);
  return ticks;
}

long majors(const std::vector<Tick>& ticks) { return std::ranges::count_if(ticks, &Tick::major); }

}  // namespace

double scaled(double value, AxisScale scale) {
  if (scale != AxisScale::Linear && !(value > 0)) return std::numeric_limits<double>::quiet_NaN();
  switch (scale) {
    case AxisScale::Log2:
      return std::log2(value);
    case AxisScale::Log10:
      return std::log10(value);
    default:
      return value;
  }
}

double unscaled(double length, AxisScale scale) {
  switch (scale) {
    case AxisScale::Log2:
      return std::exp2(length);
    case AxisScale::Log10:
      return std::pow(10, length);
    default:
      return length;
  }
}

Interval valid_range(Interval range, AxisScale scale) {
  const bool logarithmic = scale != AxisScale::Linear;
  if (std::isnan(range.low) || std::isnan(range.high)) return logarithmic ? Interval{1, 10} : Interval{0, 1};
  if (range.low > range.high) std::swap(range.low, range.high);
  range.low = std::clamp(range.low, -largest_value, largest_value);
  range.high = std::clamp(range.high, -largest_value, largest_value);
  if (logarithmic) {
    if (range.high <= 0) return {1, 10};
    range.high = std::max(range.high, 2 * smallest_positive);
    if (range.low <= 0) range.low = range.high / 1e3;
    range.low = std::max(range.low, smallest_positive);
    if (range.high >= range.low * (1 + min_relative_span)) return range;
    return {std::max(range.low / 1.5, smallest_positive), std::min(range.high * 1.5, largest_value)};
  }
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (size < smallest_positive) return {-0.5, 0.5};
  if (range.span() >= size * min_relative_span) return range;
  return {std::max(range.low - size * 0.05, -largest_value),
          std::min(range.high + size * 0.05, largest_value)};
}

Interval padded_range(Interval range, AxisScale scale, double fraction) {
  range = valid_range(range, scale);
  const double low = scaled(range.low, scale);
  const double high = scaled(range.high, scale);
  const double margin = (high - low) * fraction;
  Interval wider{unscaled(low - margin, scale), unscaled(high + margin, scale)};
  if (scale != AxisScale::Linear) wider.low = std::max(wider.low, smallest_positive);
  return valid_range(wider, scale);
}

double Axis::fraction(double value) const {
  if (std::isnan(value) || (logarithmic() && value <= 0)) return std::numeric_limits<double>::quiet_NaN();
  const Interval shown = valid_range(range, scale);
  const double low = scaled(shown.low, scale);
  return (scaled(value, scale) - low) / (scaled(shown.high, scale) - low);
}

double Axis::value_at(double fraction) const {
  const Interval shown = valid_range(range, scale);
  const double low = scaled(shown.low, scale);
  return unscaled(low + fraction * (scaled(shown.high, scale) - low), scale);
}

std::vector<Tick> Axis::ticks(int at_most) const {
  const Interval shown = valid_range(range, scale);
  at_most = std::max(2, at_most);
  if (!named.empty()) return named_ticks(named, shown, lines_per_tick * at_most);
  if (logarithmic()) {
    std::vector<Tick> ticks =
        scale == AxisScale::Log2 ? binary_ticks(shown, at_most) : decade_ticks(shown, at_most);
    if (scale == AxisScale::Log10 && majors(ticks) <= 2) {
      std::vector<Tick> more = label_between_decades(ticks);
      if (majors(more) <= at_most) ticks = std::move(more);
    }
    if (majors(ticks) >= 2) return ticks;
  }
  return linear_ticks(shown, at_most, unit_factor(*this), whole);
}

QString Axis::full_title() const {
  QString shown = unit;
  if (unit == QLatin1String("s") && !logarithmic())
    shown = QString::fromLatin1(time_unit(valid_range(range, scale)).name);
  if (shown.isEmpty()) return title;
  return title.isEmpty() ? shown : title + QStringLiteral(" (%1)").arg(shown);
}

QString Axis::text(double value) const {
  if (!named.empty())
    return std::ranges::min_element(named, {},
                                    [value](const Tick& tick) { return std::abs(tick.value - value); })
        ->label;
  if (whole && std::abs(value) < 1e15) return style::format_count(std::llround(value));
  // Session times are shown as durations; times of kernels have their own unit ("ms").
  if (unit == QLatin1String("s") && std::abs(value) >= 60) return style::format_duration(value);
  return unit.isEmpty() && std::abs(value) < 1e9 ? style::format_number(value, 7)
                                                 : style::format_quantity(value, unit);
}

}  // namespace kernelscape::charts
