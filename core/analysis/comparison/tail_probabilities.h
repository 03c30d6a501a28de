#pragma once

namespace kernelscape {

/** P(X > x) of a chi-square distribution: the regularized upper incomplete gamma function, by its series or
 * its continued fraction (Abramowitz and Stegun 6.5.29 and 6.5.31). @param degrees_of_freedom above 0 */
double chi_square_tail(double x, double degrees_of_freedom);

/** P(X > x) of an F distribution: the regularized incomplete beta function by its continued fraction
 * (Abramowitz and Stegun 26.5.8). Both degrees of freedom above 0; 0 at infinity. */
double f_tail(double x, double numerator_degrees, double denominator_degrees);

}  // namespace kernelscape
