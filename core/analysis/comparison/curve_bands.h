#pragma once

#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/compared_curves.h"

namespace kernelscape::analysis {

/**
 * Pointwise 95 % intervals of an aggregated curve; all as long as its x, or empty if it has no interval:
 * below 2 runs (samples, for the median).
 */
struct CurveBands {
  std::vector<double> mean_low;
  std::vector<double> mean_high;
  std::vector<double> median_low;
  std::vector<double> median_high;
};

/**
 * Computes the intervals of AggregatedCurve::mean and ::median by the bootstrap over runs. The runs of each
 * task are resampled (for the median the repeats); the tasks are fixed. The mean of a speed-up resamples the
 * baseline's runs as well, for paired starts the same repeats. NaN where the curve is NaN. The arguments are
 * those of aggregate_curve().
 */
CurveBands curve_bands(const ComparedRuns& runs, const CurveSelection& selection, CompareAxis axis,
                       CompareY y, const std::vector<double>& grid, std::size_t baseline = 0,
                       const BootstrapOptions& options = {.resamples = 500});

}  // namespace kernelscape::analysis
