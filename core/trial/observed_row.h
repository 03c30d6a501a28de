#pragma once

#include "core/trial/trial_table.h"

namespace kernelscape {

/** What a tuner is told of a row of a trial table: exactly what observe_trial said when it was measured. */
Observation observe_row(const TrialRow& row, Configuration configuration, double flops);

}  // namespace kernelscape
