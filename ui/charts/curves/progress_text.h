#pragma once

#include <QStringList>

#include "ui/charts/curves/progress_data.h"

namespace kernelscape::charts {

/** Returns the readout of a trial of a progress chart: result, spread, time, and the machine's slow phase. */
QStringList progress_lines(const ProgressData& data, std::int64_t row);

/** Returns the explanation of a progress chart: its marks, its axis, and the strip if there is one. */
QString progress_explanation(const ProgressData& data);

}  // namespace kernelscape::charts
