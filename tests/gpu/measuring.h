#pragma once

#include <memory>
#include <vector>

#include "core/measure/kernel_measurer.h"
#include "tests/gpu/settings.h"

namespace kernelscape::gpu_proof {

/** Each kernel is checked, and timed only in passing. */
MeasureOptions checking_options();

/** What a batch gives, by position; ends where the visitor asks to. */
Result<std::vector<Measurement>> measure_batch(Measurer& measurer, const std::vector<Configuration>& batch);

}  // namespace kernelscape::gpu_proof
