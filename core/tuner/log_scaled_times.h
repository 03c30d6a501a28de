#pragma once

#include <span>
#include <vector>

#include "core/trial/trial.h"

namespace kernelscape::tuner {

/**
 * Returns what SMAC3's forest learns of trials (RunHistoryLogScaledEncoder): ln((t - low) / (slowest - low))
 * of the time t, where `low` is as far below the fastest time as the 5th percentile is above it, so that the
 * fastest trials differ the most. Times are multiples of the fastest one. A failed trial has the slowest
 * time.
 * @param trials at least one of them is valid
 */
std::vector<double> log_scaled_times(std::span<const trial::Observation> trials);

}  // namespace kernelscape::tuner
