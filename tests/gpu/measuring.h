#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/measure/kernel_measurer.h"
#include "tests/gpu/settings.h"

namespace kernelscape::gpu_proof {

/** Returns options that check each kernel and time it only once. */
trial::MeasureOptions checking_options();

/**
 * Measures a batch. Returns the measurements by position; nullopt for those that were not there when the time
 * was over or the visitor asked to end.
 */
Result<std::vector<std::optional<trial::Measurement>>> measure_batch(
    measure::Measurer& measurer, const std::vector<space::Configuration>& batch, double limit_seconds);

}  // namespace kernelscape::gpu_proof
