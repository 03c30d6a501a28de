#pragma once

#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/product_kernel.h"

namespace kernelscape::surrogate {

/**
 * Returns the logarithm of the restricted likelihood of values at points, with the constant mean and the
 * scale profiled out: -1/2 [(n - 1) ln s^2 + ln |K| + ln (1' K^-1 1)] and a constant, where K has the nugget
 * on its diagonal and s^2 is the restricted estimate of the scale.
 * @return -infinity if K is not positive definite, or if all values are equal
 */
double log_restricted_likelihood(const ProductKernel& kernel, double nugget,
                                 std::span<const base::GridPoint> points, std::span<const double> values);

/** Log-normal priors of the fitted parameters, and their bounds. */
struct KernelPrior {
  double lengthscale_deviation = 1;  ///< of ln l, whose mean is 0
  double min_lengthscale = 0.02;
  double max_lengthscale = 50;
  double nugget = 1e-3;           ///< the median
  double nugget_deviation = 1.5;  ///< of ln nugget
  double min_nugget = 1e-6;
  double max_nugget = 1;
};

/**
 * Options of the (1+1) search: every proposal moves one coordinate or all, by steps whose size adapts to its
 * success.
 */
struct FitSteps {
  int proposals = 40;
  double first_size = 0.7;
  double success_growth = 1.3;
  double max_size = 1.2;
  double failure_decay = 0.95;
  double min_size = 0.15;
  double single_step = 1.5;        ///< step of a single lengthscale, in step sizes
  double single_nugget_step = 3;   ///< step of the nugget alone
  double joint_probability = 0.5;  ///< probability of moving all coordinates at once
  double joint_step = 0.6;         ///< step of every lengthscale in such a move
  double joint_nugget_step = 0.5;  ///< step of the nugget in such a move
};

/** The result of a fit. */
struct KernelFit {
  std::vector<double> lengthscales;
  double nugget = 1e-3;

  bool operator==(const KernelFit&) const = default;
};

/**
 * Returns the lengthscales and the nugget with the greatest posterior density that a short search from
 * `start` finds. Never worse than `start`, clamped to the bounds.
 * @param kernel provides columns, correlation and damping
 */
KernelFit fit_kernel(ProductKernel kernel, const KernelFit& start, const KernelPrior& prior,
                     const FitSteps& steps, std::span<const base::GridPoint> points,
                     std::span<const double> values, base::Random& random);

}  // namespace kernelscape::surrogate
