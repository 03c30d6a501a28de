#pragma once

namespace kernelscape::tuner {

/**
 * Returns the expected improvement of a time over the best one, if the logarithm of the time is normally
 * distributed: E[max(exp(best) - exp(x), 0)] (Hutter et al. 2009, equation 2).
 * @param mean,deviation,best of logarithms; deviation at least 0
 */
double log_improvement(double mean, double deviation, double best);

}  // namespace kernelscape::tuner
