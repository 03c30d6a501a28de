#pragma once

#include "core/trial/trial_table.h"

namespace kernelscape {

/**
 * Returns the observation that a tuner gets of a row of a trial table: equal to that of observe_trial when
 * the trial was measured.
 */
Observation observe_row(const TrialRow& row, Configuration configuration, double flops);

}  // namespace kernelscape
