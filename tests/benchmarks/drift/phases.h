#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "core/base/random.h"

/** When a machine is disturbed, and how much: drawn from a seed, without a clock. */
namespace kernelscape::drift {

constexpr double min_phase_seconds = 3;
constexpr double max_phase_seconds = 20;
constexpr double min_speed = 0.28;
constexpr double max_speed = 0.6;
constexpr double min_period_seconds = 0.010;
constexpr double max_period_seconds = 0.200;

/** A time during which the machine is slowed down, in seconds since the start of the session. */
struct DisturbancePhase {
  double begin_seconds = 0;
  double end_seconds = 0;
  double speed = 1;  ///< share of the time in which work is allowed, for disturbances with a duty cycle
  double period_seconds = 0;  ///< of the duty cycle

  double length_seconds() const { return end_seconds - begin_seconds; }
};

/**
 * Draws phases of random length that cover half of the time: quiet and disturbed phases take turns, and two
 * quiet ones last as long as the two disturbed ones beside them. A draw decides which kind is first.
 * @param total_seconds phases are drawn until this time is covered; the last ones may reach beyond it
 */
inline std::vector<DisturbancePhase> draw_phases(base::Random random, double total_seconds) {
  const auto length = [&] {
    return min_phase_seconds + (max_phase_seconds - min_phase_seconds) * random.uniform();
  };
  const auto disturbed = [&](double begin, double seconds) {
    const double period =
        min_period_seconds * std::pow(max_period_seconds / min_period_seconds, random.uniform());
    return DisturbancePhase{begin, begin + seconds, min_speed + (max_speed - min_speed) * random.uniform(),
                            period};
  };
  const bool quiet_first = random.chance(0.5);
  std::vector<DisturbancePhase> phases;
  for (double now = 0; now < total_seconds;) {
    const double first = length();
    const double second = length();
    const double quiet = length();
    const double rest = first + second - quiet;
    if (rest < min_phase_seconds || rest > max_phase_seconds) continue;
    for (const auto& [disturbed_seconds, quiet_seconds] :
         {std::pair(first, quiet), std::pair(second, rest)}) {
      phases.push_back(disturbed(now + (quiet_first ? quiet_seconds : 0), disturbed_seconds));
      now += disturbed_seconds + quiet_seconds;
    }
  }
  return phases;
}

}  // namespace kernelscape::drift
