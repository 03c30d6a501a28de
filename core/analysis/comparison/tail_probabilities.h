#pragma once

namespace kernelscape::analysis {

/**
 * Returns P(X > x) of a chi-square distribution, or 1 if x is not above 0. @param degrees_of_freedom above 0
 */
double chi_square_tail(double x, double degrees_of_freedom);

/**
 * Returns P(X > x) of an F distribution, or 1 if x is not above 0. Both degrees of freedom must be above 0.
 */
double f_tail(double x, double numerator_degrees, double denominator_degrees);

}  // namespace kernelscape::analysis
