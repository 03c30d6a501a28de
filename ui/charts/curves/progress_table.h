#pragma once

#include "ui/charts/curves/progress_data.h"
#include "ui/charts/table.h"

namespace kernelscape::charts {

/** Returns the numbers of a progress chart: a row for each trial, with the best so far. */
Table progress_table(const ProgressData& data);

}  // namespace kernelscape::charts
