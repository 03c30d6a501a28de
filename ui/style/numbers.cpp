#include "ui/style/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace kernelscape {
namespace {

/** A unit's place among the prefixes of its kind. */
struct Prefix {
  const char* unit;
  double factor;  ///< to the base unit
};

constexpr std::array<Prefix, 4> times = {{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
constexpr std::array<Prefix, 5> speeds = {
    {{"FLOPS", 1}, {"kFLOPS", 1e3}, {"MFLOPS", 1e6}, {"GFLOPS", 1e9}, {"TFLOPS", 1e12}}};
constexpr std::array<Prefix, 5> operations = {
    {{"FLOP", 1}, {"kFLOP", 1e3}, {"MFLOP", 1e6}, {"GFLOP", 1e9}, {"TFLOP", 1e12}}};

/** Digits in groups of three: "1234567.5" becomes "1,234,567.5". */
QString grouped(QString digits) {
  const bool negative = digits.startsWith(QLatin1Char('-'));
  qsizetype point = digits.indexOf(QLatin1Char('.'));
  if (point < 0) point = digits.size();
  for (qsizetype place = point - 3; place > (negative ? 1 : 0); place -= 3)
    digits.insert(place, QLatin1Char(','));
  return digits;
}

QString without_trailing_zeros(QString text) {
  if (!text.contains(QLatin1Char('.'))) return text;
  while (text.endsWith(QLatin1Char('0'))) text.chop(1);
  if (text.endsWith(QLatin1Char('.'))) text.chop(1);
  return text == QLatin1String("-0") ? QStringLiteral("0") : text;
}

/** The value as it reads after rounding, so that 999.96 is judged as the 1,000 that would be shown. */
double rounded(double value, int digits) { return QString::number(value, 'g', digits).toDouble(); }

QString with_unit(double value, const char* unit) {
  return format_number(value) + QLatin1Char(' ') + QString::fromUtf8(unit);
}

/** The largest prefix that leaves at least `least`; the smallest one where none does. */
const Prefix& prefix_for(double base_value, std::span<const Prefix> prefixes, double least) {
  const double size = rounded(std::abs(base_value), 4);
  for (std::size_t index = prefixes.size(); index-- > 1;)
    if (size >= least * prefixes[index].factor * (1 - 1e-12)) return prefixes[index];
  return prefixes.front();
}

const Prefix* find_unit(std::span<const Prefix> prefixes, const QString& unit) {
  const auto found = std::ranges::find_if(
      prefixes, [&](const Prefix& prefix) { return unit == QString::fromUtf8(prefix.unit); });
  return found == prefixes.end() ? nullptr : &*found;
}

/** GFLOPS as long as they have at most four digits before the point and are not tiny. */
const Prefix& speed_prefix(double flops) {
  const double gflops = rounded(std::abs(flops), 4) / 1e9;
  if (flops == 0 || (gflops >= 0.1 && gflops < 10000)) return speeds[3];
  return prefix_for(flops, speeds, gflops >= 10000 ? 1 : 0.1);
}

}  // namespace

QString no_number() { return QStringLiteral("–"); }

QString format_number(double value, int digits) {
  if (std::isnan(value)) return no_number();
  if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("-∞");
  if (value == 0) return QStringLiteral("0");
  const double shown = rounded(value, digits);
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(shown)) + 1e-12));
  if (exponent >= 9 || exponent < -5) {
    const QString scientific = QString::number(shown, 'e', digits - 1);
    const qsizetype mark = scientific.indexOf(QLatin1Char('e'));
    return without_trailing_zeros(scientific.left(mark)) + scientific.mid(mark);
  }
  return grouped(without_trailing_zeros(QString::number(shown, 'f', std::max(0, digits - 1 - exponent))));
}

QString format_quantity(double value, const QString& unit) {
  if (std::isnan(value)) return no_number();
  const QString name = unit == QLatin1String("us") ? QStringLiteral("µs") : unit;
  const auto shown = [&](const Prefix& from, const auto& choose) {
    const double base = value * from.factor;
    if (value == 0) return with_unit(0, from.unit);
    const Prefix& to = choose(base);
    return with_unit(base / to.factor, to.unit);
  };
  if (const Prefix* time = find_unit(times, name))
    return shown(*time, [](double base) -> const Prefix& { return prefix_for(base, times, 0.1); });
  if (const Prefix* speed = find_unit(speeds, name))
    return shown(*speed, [](double base) -> const Prefix& { return speed_prefix(base); });
  if (const Prefix* work = find_unit(operations, name))
    return shown(*work, [](double base) -> const Prefix& { return prefix_for(base, operations, 1); });
  return unit.isEmpty() ? format_number(value) : format_number(value) + QLatin1Char(' ') + unit;
}

QString format_duration(double seconds) {
  if (!std::isfinite(seconds)) return no_number();
  if (seconds < 0) return QLatin1Char('-') + format_duration(-seconds);
  if (seconds < 9.95) return without_trailing_zeros(QString::number(seconds, 'f', 1)) + QStringLiteral(" s");
  constexpr double minute = 60;
  constexpr double hour = 3600;
  constexpr double day = 86400;
  // Beyond this, days are as good as for ever and a 64-bit number of seconds would overflow.
  if (seconds > 1e12) return format_number(seconds / day) + QStringLiteral(" d");
  const auto two = [](qint64 count, const char* unit, qint64 rest, const char* rest_unit) {
    const QString first = grouped(QString::number(count)) + QLatin1Char(' ') + QLatin1String(unit);
    return rest == 0 ? first : first + QStringLiteral(" %1 ").arg(rest) + QLatin1String(rest_unit);
  };
  const qint64 whole = std::llround(seconds);
  if (whole < 60) return QStringLiteral("%1 s").arg(whole);
  if (whole < 3600) return two(whole / 60, "min", whole % 60, "s");
  const qint64 minutes = std::llround(seconds / minute);
  if (minutes < 24 * 60) return two(minutes / 60, "h", minutes % 60, "min");
  const qint64 hours = std::llround(seconds / hour);
  return two(hours / 24, "d", hours % 24, "h");
}

QString format_duration_left(double seconds) {
  if (!std::isfinite(seconds)) return QStringLiteral("time left unknown");
  if (seconds < 1) return QStringLiteral("less than 1 s left");
  return format_duration(seconds < 9.5 ? std::round(seconds) : seconds) + QStringLiteral(" left");
}

QString format_count(std::int64_t count) { return grouped(QString::number(count)); }

QString format_percent(double fraction) {
  if (std::isnan(fraction)) return no_number();
  const QString text = format_number(fraction * 100, 3);
  if (fraction < 1 && fraction > 0.9 && text == QLatin1String("100")) return QStringLiteral("> 99.9 %");
  if (fraction > 0 && fraction < 1e-4) return QStringLiteral("< 0.01 %");
  return text + QStringLiteral(" %");
}

QString format_bytes(double bytes) {
  static constexpr std::array<Prefix, 6> prefixes = {{{"B", 1},
                                                      {"KiB", 1024.0},
                                                      {"MiB", 1024.0 * 1024},
                                                      {"GiB", 1024.0 * 1024 * 1024},
                                                      {"TiB", 1024.0 * 1024 * 1024 * 1024},
                                                      {"PiB", 1024.0 * 1024 * 1024 * 1024 * 1024}}};
  if (std::isnan(bytes)) return no_number();
  const Prefix& prefix = prefix_for(bytes, prefixes, 1);
  return with_unit(bytes / prefix.factor, prefix.unit);
}

QString format_tick(double value, double step) {
  if (!std::isfinite(value)) return no_number();
  step = std::abs(step);
  const double size = std::max(std::abs(value), step);
  if (value == 0 || size == 0) return QStringLiteral("0");
  // Labels of one axis share their notation: what decides is the value's size against the step.
  if (size >= 1e9 || size < 1e-5) {
    const int digits = step > 0 ? static_cast<int>(std::ceil(std::log10(size / step) + 1e-9)) : 3;
    return format_number(value, std::clamp(digits + 1, 1, 15));
  }
  const double decimals = step > 0 ? std::ceil(-std::log10(step) - 1e-9) : 0;
  return grouped(
      without_trailing_zeros(QString::number(value, 'f', static_cast<int>(std::clamp(decimals, 0.0, 12.0)))));
}

}  // namespace kernelscape
