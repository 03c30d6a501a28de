#pragma once

#include <span>
#include <vector>

namespace kernelscape::base {

/** Returns the quantile by linear interpolation; 0 for an empty list. */
double quantile(std::vector<double> values, double q);

/** As quantile(), of values in ascending order. */
double sorted_quantile(std::span<const double> values, double q);

}  // namespace kernelscape::base
