#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/measure/confirmation.h"
#include "core/trial/speed_track.h"

namespace kernelscape::measure {

/** Each round starts a process for every configuration: more rounds would take longer than the timed calls.
 */
inline constexpr int max_confirmation_rounds = 20;

/** The samples of one round of a confirmation. */
struct ConfirmationRound {
  std::int64_t first_row = 0;  ///< the round's runs in the order of all runs, up to but without end_row
  std::int64_t end_row = 0;
  std::vector<std::pair<std::size_t, trial::Measurement>> samples{};  ///< configuration and its run
  std::vector<double> vendor_seconds{};
  trial::MachineLimits limits{};  ///< measured beside the round; 0: not measured
  bool complete = false;
};

/**
 * Writes the samples, the limits and the machine's speed of the rounds into a result. If at least three
 * rounds, or all, were measured outside slow phases, only these are used. Configurations that failed stay
 * failed.
 * @param speeds of the machine during each run, by row
 */
void use_rounds(const std::vector<ConfirmationRound>& rounds, std::span<const trial::Speed> speeds,
                Confirmations& result);

/** Returns the speed of each row of a SpeedTrack or of WorkerTracks. */
template <typename Track>
std::vector<trial::Speed> speeds_of(const Track& track) {
  std::vector<trial::Speed> speeds;
  for (std::int64_t row = 0; row < track.rows(); ++row) speeds.push_back(track.of_row(row));
  return speeds;
}

}  // namespace kernelscape::measure
