#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/graph/operators/conversion.h"
#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** Returns the first input with a function applied to each element. */
template <typename Function>
Result<Tensors> mapped(const Call& call, const Function& function) {
  Tensor result = call[0];
  for (double& element : result.elements) element = function(element);
  wrap_integers(result);
  return one_result(std::move(result));
}

template <auto F>
Result<Tensors> unary(const Call& call) {
  return mapped(call, F);
}

/** As unary(), with a result of Bools. */
template <auto F>
Result<Tensors> predicate(const Call& call) {
  Tensor result = call[0];
  result.type = ElementType::Bool;
  for (double& element : result.elements) element = F(element) ? 1 : 0;
  return one_result(std::move(result));
}

/** An operator with the attribute alpha. @param otherwise, in thousandths, the default of alpha */
template <int otherwise, auto F>
Result<Tensors> with_alpha(const Call& call) {
  const double alpha = call.number("alpha", otherwise / 1000.0);
  return mapped(call, [alpha](double x) { return F(x, alpha); });
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

Result<Tensors> hard_sigmoid(const Call& call) {
  const double alpha = call.number("alpha", 0.2);
  const double beta = call.number("beta", 0.5);
  return mapped(call, [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
}

Result<Tensors> selu(const Call& call) {
  const double alpha = call.number("alpha", 1.67326319217681884765625);
  const double gamma = call.number("gamma", 1.05070102214813232421875);
  return mapped(call, [=](double x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); });
}

Result<Tensors> gelu(const Call& call) {
  const std::string approximate = call.text("approximate", "none");
  if (approximate == "none")
    return mapped(call, [](double x) { return x / 2 * (1 + std::erf(x / std::numbers::sqrt2)); });
  if (approximate != "tanh") return call.refuse("its approximation is neither none nor tanh");
  const double factor = std::sqrt(2 / std::numbers::pi);
  return mapped(call, [=](double x) { return x / 2 * (1 + std::tanh(factor * (x + 0.044715 * x * x * x))); });
}

Result<Tensors> shrink(const Call& call) {
  const double bias = call.number("bias", 0);
  const double lambda = call.number("lambd", 0.5);
  return mapped(call, [=](double x) { return x < -lambda ? x + bias : x > lambda ? x - bias : 0; });
}

Result<Tensors> is_infinite(const Call& call) {
  const bool negative = call.integer("detect_negative", 1) != 0;
  const bool positive = call.integer("detect_positive", 1) != 0;
  Tensor result = call[0];
  result.type = ElementType::Bool;
  for (double& x : result.elements) x = std::isinf(x) && (x < 0 ? negative : positive) ? 1 : 0;
  return one_result(std::move(result));
}

/** Returns a bound of Clip, or `otherwise` if the input is absent. */
Result<double> bound(const Call& call, std::size_t input, double otherwise) {
  if (!call.has(input)) return otherwise;
  if (call[input].elements.size() != 1) return call.refuse("its bounds are not single numbers");
  return call[input].elements[0];
}

Result<Tensors> clip(const Call& call) {
  const double lowest = TRY(bound(call, 1, -std::numeric_limits<double>::infinity()));
  const double highest = TRY(bound(call, 2, std::numeric_limits<double>::infinity()));
  return mapped(call, [=](double x) { return std::min(std::max(x, lowest), highest); });
}

}  // namespace

std::vector<Operator> activation_operators() {
  return {
      {"Abs", 1, 1, unary<[](double x) { return std::abs(x); }>},
      {"Acos", 1, 1, unary<[](double x) { return std::acos(x); }>},
      {"Acosh", 1, 1, unary<[](double x) { return std::acosh(x); }>},
      {"Asin", 1, 1, unary<[](double x) { return std::asin(x); }>},
      {"Asinh", 1, 1, unary<[](double x) { return std::asinh(x); }>},
      {"Atan", 1, 1, unary<[](double x) { return std::atan(x); }>},
      {"Atanh", 1, 1, unary<[](double x) { return std::atanh(x); }>},
      {"Ceil", 1, 1, unary<[](double x) { return std::ceil(x); }>},
      {"Celu", 1, 1, with_alpha<1000, [](double x, double a) { return 0 < x ? x : a * std::expm1(x / a); }>},
      {"Clip", 1, 3, clip},
      {"Cos", 1, 1, unary<[](double x) { return std::cos(x); }>},
      {"Cosh", 1, 1, unary<[](double x) { return std::cosh(x); }>},
      {"Elu", 1, 1, with_alpha<1000, [](double x, double a) { return 0 < x ? x : a * std::expm1(x); }>},
      {"Erf", 1, 1, unary<[](double x) { return std::erf(x); }>},
      {"Exp", 1, 1, unary<[](double x) { return std::exp(x); }>},
      {"Floor", 1, 1, unary<[](double x) { return std::floor(x); }>},
      {"Gelu", 1, 1, gelu},
      {"HardSigmoid", 1, 1, hard_sigmoid},
      {"HardSwish", 1, 1, unary<[](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }>},
      {"IsInf", 1, 1, is_infinite},
      {"IsNaN", 1, 1, predicate<[](double x) { return std::isnan(x); }>},
      {"LeakyRelu", 1, 1, with_alpha<10, [](double x, double a) { return x >= 0 ? x : a * x; }>},
      {"Log", 1, 1, unary<[](double x) { return std::log(x); }>},
      {"Mish", 1, 1, unary<[](double x) { return x * std::tanh(std::log1p(std::exp(x))); }>},
      {"Neg", 1, 1, unary<[](double x) { return -x; }>},
      {"Not", 1, 1, predicate<[](double x) { return x == 0; }>},
      {"Reciprocal", 1, 1, unary<[](double x) { return 1 / x; }>},
      {"Relu", 1, 1, unary<[](double x) { return x < 0 ? 0 : x; }>},
      {"Round", 1, 1, unary<[](double x) { return std::nearbyint(x); }>},
      {"Selu", 1, 1, selu},
      {"Shrink", 1, 1, shrink},
      {"Sigmoid", 1, 1, unary<logistic>},
      {"Sign", 1, 1, unary<[](double x) { return x == 0 ? 0.0 : std::copysign(1.0, x); }>},
      {"Sin", 1, 1, unary<[](double x) { return std::sin(x); }>},
      {"Sinh", 1, 1, unary<[](double x) { return std::sinh(x); }>},
      {"Softplus", 1, 1,
       unary<[](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }>},
      {"Softsign", 1, 1, unary<[](double x) { return x / (1 + std::abs(x)); }>},
      {"Sqrt", 1, 1, unary<[](double x) { return std::sqrt(x); }>},
      {"Tan", 1, 1, unary<[](double x) { return std::tan(x); }>},
      {"Tanh", 1, 1, unary<[](double x) { return std::tanh(x); }>},
      {"ThresholdedRelu", 1, 1, with_alpha<1000, [](double x, double a) { return a < x ? x : 0.0; }>},
      {"com.microsoft.Gelu", 1, 1, gelu},
  };
}

}  // namespace kernelscape::graph
