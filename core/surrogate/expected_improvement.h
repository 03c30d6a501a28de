#pragma once

namespace kernelscape::surrogate {

/**
 * Returns the expected improvement of a normally distributed value over the best known one, E[max(value -
 * best, 0)]: (mean - best) Phi(Z) + deviation phi(Z) with Z = (mean - best) / deviation, and max(0, mean -
 * best) if the deviation is 0 (AdaTune, equations 1 and 2). Never below max(0, mean - best).
 * @param deviation at least 0
 * @return in the unit of the arguments
 */
double expected_improvement(double mean, double deviation, double best);

}  // namespace kernelscape::surrogate
