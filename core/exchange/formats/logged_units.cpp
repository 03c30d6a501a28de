#include "core/exchange/formats/logged_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::exchange {
namespace {

struct TimeUnit {
  std::string_view name;
  double per_second;
};

/** Case-sensitive symbols. The micro sign is U+00B5, and the Greek letter U+03BC. */
constexpr std::array symbols{TimeUnit{"s", 1},    TimeUnit{"S", 1},           TimeUnit{"ms", 1e3},
                             TimeUnit{"us", 1e6}, TimeUnit{"\xc2\xb5s", 1e6}, TimeUnit{"\xce\xbcs", 1e6},
                             TimeUnit{"ns", 1e9}};

/** Words in any case, singular or with "s". "Milisecond" occurs in many T4 files. */
constexpr std::array words{
    TimeUnit{"sec", 1},           TimeUnit{"second", 1},        TimeUnit{"msec", 1e3},
    TimeUnit{"millisec", 1e3},    TimeUnit{"millisecond", 1e3}, TimeUnit{"milisecond", 1e3},
    TimeUnit{"usec", 1e6},        TimeUnit{"microsec", 1e6},    TimeUnit{"microsecond", 1e6},
    TimeUnit{"\xc2\xb5sec", 1e6}, TimeUnit{"\xce\xbcsec", 1e6}, TimeUnit{"nsec", 1e9},
    TimeUnit{"nanosec", 1e9},     TimeUnit{"nanosecond", 1e9},  TimeUnit{"min", 1.0 / 60},
    TimeUnit{"minute", 1.0 / 60}};

const TimeUnit* find_unit(std::string_view text) {
  const std::string_view unit = base::trimmed(text);
  const auto* const symbol = std::ranges::find(symbols, unit, &TimeUnit::name);
  if (symbol != symbols.end()) return &*symbol;
  const std::string word = base::lower_case(unit);
  const auto* const known = std::ranges::find_if(words, [&](const TimeUnit& named) {
    return word == named.name ||
           (word.ends_with('s') && std::string_view(word).substr(0, word.size() - 1) == named.name);
  });
  return known == words.end() ? nullptr : &*known;
}

}  // namespace

Result<double> units_per_second(std::string_view unit) {
  if (const TimeUnit* known = find_unit(unit)) return known->per_second;
  return fail(
      ErrorCode::InvalidArgument, fmt::format("{} is not a known unit of time", base::quoted_line(unit)),
      "known: s, ms, us, \xc2\xb5s, ns, min, sec, msec, usec, nsec, seconds, milliseconds, microseconds, "
      "nanoseconds, minutes");
}

bool is_time_unit(std::string_view unit) { return find_unit(unit) != nullptr; }

Status check_objective(double objective_seconds, std::span<const double> samples_seconds) {
  if (samples_seconds.empty() || !(objective_seconds > 0)) return {};
  std::vector<double> sorted(samples_seconds.begin(), samples_seconds.end());
  std::ranges::sort(sorted);
  const double median = sorted[sorted.size() / 2];
  constexpr double near = 2;
  if (!(sorted.front() > 0)) return {};
  if (objective_seconds >= sorted.front() / near && objective_seconds <= sorted.back() * near) return {};
  const double exponent = std::round(std::log10(objective_seconds / median));
  const double scaled = objective_seconds / std::pow(10, exponent);
  constexpr double rounding = 0.1;
  if (exponent == 0 || scaled < sorted.front() * (1 - rounding) || scaled > sorted.back() * (1 + rounding))
    return {};
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("its time is {} s, but its samples are about {} s: they differ by a factor of 10^{}",
                  objective_seconds, median, exponent),
      "correct the unit of the time or the unit of the samples");
}

}  // namespace kernelscape::exchange
