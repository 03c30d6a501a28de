#pragma once

#include "ui/charts/landscape/parallel_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** Returns the default axes: the columns of the first knobs, then the performance. */
std::vector<std::size_t> default_axes(const ShownTrials& shown);

/** Returns the parallel coordinates of columns. For background jobs. @param database for a notice */
FigureOf<charts::ParallelData> parallel_figure(const ShownTrials& shown, const std::vector<std::size_t>& axes,
                                               const analysis::RowSet& selection,
                                               const std::filesystem::path& database,
                                               const workspace::JobControl& control);

}  // namespace kernelscape::figures
