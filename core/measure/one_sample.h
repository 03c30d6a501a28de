#pragma once

#include "core/trial/measure_options.h"

namespace kernelscape::measure {

/** Returns options for a run with a single sample, which is never ended early. */
inline trial::MeasureOptions options_of_one_sample(trial::MeasureOptions options) {
  options.repeats = 1;
  options.give_up_factor = 0;
  options.adaptive_batch = 0;
  return options;
}

}  // namespace kernelscape::measure
