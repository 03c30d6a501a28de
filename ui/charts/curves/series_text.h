#pragma once

#include <QStringList>

#include "ui/charts/curves/series_data.h"

namespace kernelscape::charts {

/** Returns a value of the figure as text: "310 GFLOPS". */
QString series_value_text(const analysis::SeriesFigure& figure, double value);

/**
 * Returns the reported and the measured values of a trial as text: "trial 4: predicted 200 GFLOPS ± 20
 * GFLOPS", "measured 180 GFLOPS, predicted 11.1 % too high".
 */
QStringList series_lines(const SeriesData& data, const trial::Row& trial);

}  // namespace kernelscape::charts
