#pragma once

#include <QStringList>

#include "ui/charts/courses/series_data.h"

namespace kernelscape {

/** "310 GFLOPS": a value of the figure. */
QString series_value_text(const SeriesFigure& figure, double value);

/** What was reported of a trial and what came of it: "trial 4: predicted 200 GFLOPS ± 20 GFLOPS", "measured
 * 180 GFLOPS, predicted 11.1 % too high". */
QStringList series_lines(const SeriesData& data, const TrialRow& trial);

}  // namespace kernelscape
