#include "core/base/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace kernelscape::base {
namespace {

/** A unit's place among the prefixes of its kind. */
struct Prefix {
  std::string_view unit;
  double factor;  ///< to the base unit
};

constexpr std::array<Prefix, 4> times = {{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
constexpr std::array<Prefix, 5> speeds = {
    {{"FLOPS", 1}, {"kFLOPS", 1e3}, {"MFLOPS", 1e6}, {"GFLOPS", 1e9}, {"TFLOPS", 1e12}}};
constexpr std::array<Prefix, 5> operations = {
    {{"FLOP", 1}, {"kFLOP", 1e3}, {"MFLOP", 1e6}, {"GFLOP", 1e9}, {"TFLOP", 1e12}}};
constexpr std::array<Prefix, 6> sizes = {{{"B", 1},
                                          {"KiB", 1024.0},
                                          {"MiB", 1024.0 * 1024},
                                          {"GiB", 1024.0 * 1024 * 1024},
                                          {"TiB", 1024.0 * 1024 * 1024 * 1024},
                                          {"PiB", 1024.0 * 1024 * 1024 * 1024 * 1024}}};

/** As printf writes it, but the middle of two texts is rounded away from zero, not to the even digit. */
std::string written(double value, std::chars_format format, int precision) {
  std::array<char, 64> text{};
  const long double wide = value;
  // Farther by less than a double can be.
  const long double farther = std::nextafter(wide, std::copysign(HUGE_VALL, wide));
  const auto end = std::to_chars(text.data(), text.data() + text.size(), farther, format, precision).ptr;
  return {text.data(), end};
}

std::string with_decimals(double value, int decimals) {
  return written(value, std::chars_format::fixed, decimals);
}

std::string without_trailing_zeros(std::string text) {
  if (!text.contains('.')) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

/** The value as it reads after rounding, so that 999.96 is judged as the 1,000 that would be shown. */
double rounded(double value, int digits) {
  const std::string text = written(value, std::chars_format::general, digits);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string with_unit(double value, std::string_view unit) {
  return fmt::format("{} {}", number_text(value), unit);
}

/** Returns the largest prefix that leaves at least `least`, or the smallest prefix if none does. */
const Prefix& prefix_for(double base_value, std::span<const Prefix> prefixes, double least) {
  const double size = rounded(std::abs(base_value), 4);
  for (std::size_t index = prefixes.size(); index-- > 1;)
    if (size >= least * prefixes[index].factor * (1 - 1e-12)) return prefixes[index];
  return prefixes.front();
}

const Prefix* find_unit(std::span<const Prefix> prefixes, std::string_view unit) {
  const auto found = std::ranges::find(prefixes, unit, &Prefix::unit);
  return found == prefixes.end() ? nullptr : &*found;
}

/** GFLOPS as long as they have at most four digits before the point and are not tiny. */
const Prefix& speed_prefix(double flops) {
  const double gflops = rounded(std::abs(flops), 4) / 1e9;
  if (flops == 0 || (gflops >= 0.1 && gflops < 10000)) return speeds[3];
  return prefix_for(flops, speeds, gflops >= 10000 ? 1 : 0.1);
}

}  // namespace

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return std::string(no_number_text);
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  if (value == 0) return "0";
  const double shown = rounded(value, digits);
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(shown)) + 1e-12));
  if (exponent >= 9 || exponent < -5) {
    const std::string scientific = fmt::format("{:.{}e}", shown, digits - 1);
    const std::size_t mark = scientific.find('e');
    return without_trailing_zeros(scientific.substr(0, mark)) + scientific.substr(mark);
  }
  return with_thousands(without_trailing_zeros(with_decimals(shown, std::max(0, digits - 1 - exponent))));
}

std::string quantity_text(double value, std::string_view unit) {
  if (std::isnan(value)) return std::string(no_number_text);
  const std::string_view name = unit == "us" ? "µs" : unit;
  const auto shown = [&](const Prefix& from, const auto& choose) {
    const double base = value * from.factor;
    if (value == 0) return with_unit(0, from.unit);
    const Prefix& to = choose(base);
    return with_unit(base / to.factor, to.unit);
  };
  if (const Prefix* time = find_unit(times, name))
    return shown(*time, [](double base) -> const Prefix& { return prefix_for(base, times, 0.1); });
  if (const Prefix* speed = find_unit(speeds, name)) return shown(*speed, speed_prefix);
  if (const Prefix* work = find_unit(operations, name))
    return shown(*work, [](double base) -> const Prefix& { return prefix_for(base, operations, 1); });
  return unit.empty() ? number_text(value) : with_unit(value, unit);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return std::string(no_number_text);
  if (seconds < 0) return fmt::format("-{}", duration_text(-seconds));
  constexpr double tenths = 0.0995;  // shorter times would be shown as 0
  if (seconds > 0 && seconds < tenths) return quantity_text(seconds, "s");
  if (seconds < 9.95) return without_trailing_zeros(with_decimals(seconds, 1)) + " s";
  constexpr double minute = 60;
  constexpr double hour = 3600;
  constexpr double day = 86400;
  // Beyond this, days are as good as for ever and a 64-bit number of seconds would overflow.
  if (seconds > 1e12) return number_text(seconds / day) + " d";
  const auto two = [](std::int64_t count, std::string_view unit, std::int64_t rest,
                      std::string_view rest_unit) {
    const std::string first = fmt::format("{} {}", count_text(count), unit);
    return rest == 0 ? first : fmt::format("{} {} {}", first, rest, rest_unit);
  };
  const std::int64_t whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return two(whole / 60, "min", whole % 60, "s");
  const std::int64_t minutes = std::llround(seconds / minute);
  if (minutes < std::int64_t{24} * 60) return two(minutes / 60, "h", minutes % 60, "min");
  const std::int64_t hours = std::llround(seconds / hour);
  return two(hours / 24, "d", hours % 24, "h");
}

std::string duration_left_text(double seconds) {
  if (!std::isfinite(seconds)) return "time left unknown";
  if (seconds < 1) return "less than 1 s left";
  return duration_text(seconds < 9.5 ? std::round(seconds) : seconds) + " left";
}

std::string count_text(std::int64_t count) { return with_thousands(std::to_string(count)); }

std::string percent_text(double fraction) {
  if (std::isnan(fraction)) return std::string(no_number_text);
  const std::string text = number_text(fraction * 100, 3);
  if (fraction < 1 && fraction > 0.9 && text == "100") return "> 99.9 %";
  if (fraction > 0 && fraction < 1e-4) return "< 0.01 %";
  return text + " %";
}

std::string bytes_text(double bytes) {
  if (std::isnan(bytes)) return std::string(no_number_text);
  const Prefix& prefix = prefix_for(bytes, sizes, 1);
  return with_unit(bytes / prefix.factor, prefix.unit);
}

std::string tick_text(double value, double step) {
  if (!std::isfinite(value)) return std::string(no_number_text);
  step = std::abs(step);
  const double size = std::max(std::abs(value), step);
  if (value == 0 || size == 0) return "0";
  // Labels of one axis share their notation: it depends on the value's size relative to the step.
  if (size >= 1e9 || size < 1e-5) {
    const int digits = step > 0 ? static_cast<int>(std::ceil(std::log10(size / step) + 1e-9)) : 3;
    return number_text(value, std::clamp(digits + 1, 1, 15));
  }
  const double decimals = step > 0 ? std::ceil(-std::log10(step) - 1e-9) : 0;
  return with_thousands(
      without_trailing_zeros(with_decimals(value, static_cast<int>(std::clamp(decimals, 0.0, 12.0)))));
}

std::string with_thousands(std::string digits) {
  const std::size_t begin = digits.starts_with('-') ? 1 : 0;
  for (std::size_t end = std::min(digits.find('.'), digits.size()); end > begin + 3;) {
    end -= 3;
    digits.insert(end, ",");
  }
  return digits;
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.4g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

std::string clock_text(double seconds) {
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t hour = 60 * minute;
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < hour) return fmt::format("{}:{:02}", whole / minute, whole % minute);
  return fmt::format("{}:{:02}:{:02}", whole / hour, whole % hour / minute, whole % minute);
}

double gflops_of(double flops, double seconds) {
  return flops > 0 && seconds > 0 ? flops / seconds * 1e-9 : 0;
}

std::string speed_text(double flops, double seconds) {
  if (seconds <= 0) return "none";
  if (flops <= 0) return time_text(seconds);
  return fmt::format("{:.4g} GFLOPS", gflops_of(flops, seconds));
}

std::string speed_text(double flops, double first_quartile_seconds, double median_seconds,
                       double third_quartile_seconds) {
  if (flops <= 0)
    return fmt::format("{} [{}, {}]", time_text(median_seconds), time_text(first_quartile_seconds),
                       time_text(third_quartile_seconds));
  return fmt::format("{:.4g} GFLOPS [{:.4g}, {:.4g}]", gflops_of(flops, median_seconds),
                     gflops_of(flops, third_quartile_seconds), gflops_of(flops, first_quartile_seconds));
}

}  // namespace kernelscape::base
