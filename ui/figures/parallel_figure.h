#pragma once

#include "ui/charts/landscape/parallel_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** The columns that are axes until the user chooses others: the first knobs, then the performance. */
std::vector<std::size_t> default_axes(const ShownTrials& shown);

/** Parallel coordinates of columns. For background jobs. @param database for a notice */
FigureOf<ParallelData> parallel_figure(const ShownTrials& shown, const std::vector<std::size_t>& axes,
                                       const RowSet& selection, const std::filesystem::path& database,
                                       const JobControl& control);

}  // namespace kernelscape
