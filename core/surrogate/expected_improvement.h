#pragma once

namespace kernelscape {

/**
 * What a value that is normally distributed with this mean and standard deviation is expected to exceed the
 * best known one by, E[max(value - best, 0)]: (mean - best) Phi(Z) + deviation phi(Z) with Z = (mean - best)
 * / deviation, and max(0, mean - best) where the deviation is 0 (AdaTune, equations 1 and 2). Never below
 * max(0, mean - best).
 *
 * @param deviation at least 0
 * @return in the unit of the arguments
 */
double expected_improvement(double mean, double deviation, double best);

}  // namespace kernelscape
