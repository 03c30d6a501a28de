#include "core/analysis/comparison/tail_probabilities.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

namespace kernelscape::analysis {
namespace {

/** Returns P(X > x) of a distribution of positive numbers, whose own function throws at infinity. */
template <typename Distribution>
double upper_tail_of(const Distribution& distribution, double x) {
  if (!(x > 0)) return 1;
  return std::isinf(x) ? 0 : boost::math::cdf(boost::math::complement(distribution, x));
}

}  // namespace

double chi_square_tail(double x, double degrees_of_freedom) {
  return upper_tail_of(boost::math::chi_squared(degrees_of_freedom), x);
}

double f_tail(double x, double numerator_degrees, double denominator_degrees) {
  return upper_tail_of(boost::math::fisher_f(numerator_degrees, denominator_degrees), x);
}

}  // namespace kernelscape::analysis
