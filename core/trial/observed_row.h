#pragma once

#include "core/trial/table.h"

namespace kernelscape::trial {

/**
 * Returns the observation that a tuner gets of a row of a trial table: equal to that of observe_trial when
 * the trial was measured.
 * @param row its `machine` says whether it was measured in a slow phase: then the time is corrected, and the
 *   spread contains the error of the correction
 */
Observation observe_row(const Row& row, space::Configuration configuration, double flops);

}  // namespace kernelscape::trial
