#pragma once

#include "ui/charts/bars/distribution_chart.h"
#include "ui/charts/curves/cumulative_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/**
 * Returns the distribution of the trials' performance (NoSE, figure 4).
 * @param logarithmic bins of equal ratio
 * @param notice from `no_performance_notice`
 */
FigureOf<charts::DistributionData> distribution_figure(const Shown& shown, const analysis::RowSet& selection,
                                                       bool logarithmic, const QString& notice);

/** Returns the cumulative distribution: the share of trials within x % of the best one. */
FigureOf<charts::CumulativeData> cumulative_figure(const ShownTrials& shown, const QString& notice);

}  // namespace kernelscape::figures
