#pragma once

namespace kernelscape {

/** P(X > x) of a chi-square distribution; 1 where x is not above 0. @param degrees_of_freedom above 0 */
double chi_square_tail(double x, double degrees_of_freedom);

/** P(X > x) of an F distribution; 1 where x is not above 0. Both degrees of freedom above 0. */
double f_tail(double x, double numerator_degrees, double denominator_degrees);

}  // namespace kernelscape
