#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/measure/confirmation.h"
#include "core/trial/speed_track.h"

namespace kernelscape::measure {

/** The samples of one round of a confirmation. */
struct ConfirmationRound {
  std::int64_t first_row = 0;  ///< rows of the round's runs in the track, up to but without end_row
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
 */
void use_rounds(const std::vector<ConfirmationRound>& rounds, const trial::SpeedTrack& track,
                Confirmations& result);

}  // namespace kernelscape::measure
