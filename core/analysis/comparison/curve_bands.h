#pragma once

#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/compared_curves.h"

namespace kernelscape {

/** Pointwise 95 % intervals of an aggregated curve; all as long as its x, or empty where it has no interval:
 * below 2 runs (samples, of the median). */
struct CurveBands {
  std::vector<double> mean_low;
  std::vector<double> mean_high;
  std::vector<double> median_low;
  std::vector<double> median_high;
};

/**
 * Of AggregatedCurve::mean and ::median by the bootstrap over runs: those of each task are drawn anew (for
 * the median the repeats), the tasks stay. The mean of a speed-up draws the baseline's runs as well, of
 * paired starts the same repeats. Not a number where the curve is not. Arguments as of aggregate_curve().
 */
CurveBands curve_bands(const ComparedRuns& runs, const CurveSelection& selection, CompareAxis axis,
                       CompareY y, const std::vector<double>& grid, std::size_t baseline = 0,
                       const BootstrapOptions& options = {.resamples = 500});

}  // namespace kernelscape
