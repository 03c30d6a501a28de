#include "core/analysis/comparison/tail_probabilities.h"

#include <algorithm>
#include <cmath>

namespace kernelscape {
namespace {

constexpr int most_terms = 10000;
constexpr double enough_digits = 1e-15;

/** a0 / (b0 + a1 / (b1 + ...)) by Lentz's method. @param term(i) gives {a, b} */
template <typename Term>
double continued_fraction(const Term& term) {
  constexpr double tiny = 1e-300;  // in place of 0, which cannot be divided by
  const auto no_zero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
  double value = tiny;
  double numerator = value;
  double denominator = 0;
  for (int i = 0; i < most_terms; ++i) {
    const auto [a, b] = term(i);
    denominator = 1 / no_zero(b + a * denominator);
    numerator = no_zero(b + a / numerator);
    const double change = numerator * denominator;
    value *= change;
    if (std::fabs(change - 1) < enough_digits) break;
  }
  return value;
}

struct FractionTerm {
  double a = 0;
  double b = 0;
};

/** lgamma() writes a global sign. */
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

/** Of the beta function's integral from 0 to x, where x is below (a + 1) / (a + b + 2). */
double beta_fraction(double x, double a, double b) {
  return continued_fraction([&](int i) {
    if (i == 0) return FractionTerm{1, 1};
    const double m = i / 2;  // whole
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    return FractionTerm{i % 2 == 0 ? even : odd, 1};
  });
}

double regularized_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                   : 1 - front * beta_fraction(1 - x, b, a) / b;
}

}  // namespace

double chi_square_tail(double x, double degrees_of_freedom) {
  const double a = degrees_of_freedom / 2;
  const double half = x / 2;
  if (!(half > 0)) return 1;
  const double front = std::exp(a * std::log(half) - half - log_gamma(a));
  if (half < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (int i = 1; i < most_terms && term > sum * enough_digits; ++i) sum += term *= half / (a + i);
    return std::clamp(1 - front * sum, 0.0, 1.0);
  }
  const double fraction = continued_fraction([&](int i) {
    if (i == 0) return FractionTerm{1, half + 1 - a};
    return FractionTerm{-i * (i - a), half + 1 - a + 2 * i};
  });
  return std::clamp(front * fraction, 0.0, 1.0);
}

double f_tail(double x, double numerator_degrees, double denominator_degrees) {
  if (!(x > 0)) return 1;
  if (std::isinf(x)) return 0;
  return regularized_beta(denominator_degrees / (denominator_degrees + numerator_degrees * x),
                          denominator_degrees / 2, numerator_degrees / 2);
}

}  // namespace kernelscape
