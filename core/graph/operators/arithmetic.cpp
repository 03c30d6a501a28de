#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/graph/operators/conversion.h"
#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** Returns function(a, b) of the elements of two tensors that are broadcast. */
template <typename Function>
Result<Tensor> combined(const Call& call, const Tensor& a, const Tensor& b, ElementType type,
                        const Function& function) {
  const std::optional<Shape> shape = broadcast_shape(a.shape, b.shape);
  if (!shape) {
    return call.refuse(
        fmt::format("the shapes {} and {} do not fit together", shape_text(a.shape), shape_text(b.shape)));
  }
  Tensor result = TRY(new_tensor(call, type, *shape));
  auto element = result.elements.begin();
  for_each_offset<2>(
      *shape, {broadcast_strides(a.shape, *shape), broadcast_strides(b.shape, *shape)},
      [&](const auto& offsets) { *element++ = function(at(a, offsets[0]), at(b, offsets[1])); });
  return result;
}

/** As combined() of the first two inputs, with a result of the first one's type. */
template <typename Function>
Result<Tensors> arithmetic_of(const Call& call, const Function& function) {
  Tensor result = TRY(combined(call, call[0], call[1], call[0].type, function));
  wrap_integers(result);
  return one_result(std::move(result));
}

template <auto F>
Result<Tensors> arithmetic(const Call& call) {
  return arithmetic_of(call, F);
}

template <auto F>
Result<Tensors> comparison(const Call& call) {
  return one_result(TRY(combined(call, call[0], call[1], ElementType::Bool,
                                 [](double a, double b) { return F(a, b) ? 1.0 : 0.0; })));
}

/** Refuses a zero among integer divisors. */
Status check_divisors(const Call& call) {
  if (is_integer(call[0].type) && std::ranges::count(call[1].elements, 0.0) > 0)
    return call.refuse("it divides an integer by zero");
  return {};
}

Result<Tensors> divide(const Call& call) {
  TRY(check_divisors(call));
  return arithmetic_of(call, [](double a, double b) { return a / b; });
}

Result<Tensors> modulo(const Call& call) {
  TRY(check_divisors(call));
  if (call.integer("fmod", 0) != 0)
    return arithmetic_of(call, [](double a, double b) { return std::fmod(a, b); });
  return arithmetic_of(call, [](double a, double b) {
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  });
}

/** PRelu: the slope is broadcast to the input's shape. */
Result<Tensors> parametric_relu(const Call& call) {
  const std::optional<Shape> shape = broadcast_shape(call[0].shape, call[1].shape);
  if (!shape || *shape != call[0].shape) {
    return call.refuse(fmt::format("its slopes of shape {} do not fit the shape {}",
                                   shape_text(call[1].shape), shape_text(call[0].shape)));
  }
  return arithmetic_of(call, [](double x, double slope) { return x < 0 ? slope * x : x; });
}

/** Combines any number of inputs from the first to the last. */
template <auto F>
Result<Tensor> folded(const Call& call) {
  Tensor result = call[0];
  for (std::size_t input = 1; input < call.input_count(); ++input) {
    if (!call.has(input)) return call.refuse(fmt::format("its input {} is absent", input));
    result = TRY(combined(call, result, call[input], result.type, F));
  }
  wrap_integers(result);
  return result;
}

template <auto F>
Result<Tensors> variadic(const Call& call) {
  return one_result(TRY(folded<F>(call)));
}

Result<Tensors> mean(const Call& call) {
  Tensor result = TRY(folded<[](double a, double b) { return a + b; }>(call));
  for (double& element : result.elements) element /= static_cast<double>(call.input_count());
  return one_result(std::move(result));
}

Result<Tensors> where(const Call& call) {
  const std::optional<Shape> values = broadcast_shape(call[1].shape, call[2].shape);
  const std::optional<Shape> shape = values ? broadcast_shape(call[0].shape, *values) : std::nullopt;
  if (!shape) {
    return call.refuse(fmt::format("the shapes {}, {} and {} do not fit together", shape_text(call[0].shape),
                                   shape_text(call[1].shape), shape_text(call[2].shape)));
  }
  Tensor result = TRY(new_tensor(call, call[1].type, *shape));
  auto element = result.elements.begin();
  for_each_offset<3>(*shape,
                     {broadcast_strides(call[0].shape, *shape), broadcast_strides(call[1].shape, *shape),
                      broadcast_strides(call[2].shape, *shape)},
                     [&](const auto& offsets) {
                       *element++ =
                           at(call[0], offsets[0]) != 0 ? at(call[1], offsets[1]) : at(call[2], offsets[2]);
                     });
  return one_result(std::move(result));
}

}  // namespace

std::vector<Operator> arithmetic_operators() {
  return {
      {"Add", 2, 2, arithmetic<[](double a, double b) { return a + b; }>},
      {"And", 2, 2, comparison<[](double a, double b) { return a != 0 && b != 0; }>},
      {"Div", 2, 2, divide},
      {"Equal", 2, 2, comparison<[](double a, double b) { return a == b; }>},
      {"Greater", 2, 2, comparison<[](double a, double b) { return b < a; }>},
      {"GreaterOrEqual", 2, 2, comparison<[](double a, double b) { return a >= b; }>},
      {"Less", 2, 2, comparison<[](double a, double b) { return a < b; }>},
      {"LessOrEqual", 2, 2, comparison<[](double a, double b) { return a <= b; }>},
      {"Max", 1, unlimited, variadic<larger>},
      {"Mean", 1, unlimited, mean},
      {"Min", 1, unlimited, variadic<smaller>},
      {"Mod", 2, 2, modulo},
      {"Mul", 2, 2, arithmetic<[](double a, double b) { return a * b; }>},
      {"Or", 2, 2, comparison<[](double a, double b) { return a != 0 || b != 0; }>},
      {"PRelu", 2, 2, parametric_relu},
      {"Pow", 2, 2, arithmetic<[](double a, double b) { return std::pow(a, b); }>},
      {"Sub", 2, 2, arithmetic<[](double a, double b) { return a - b; }>},
      {"Sum", 1, unlimited, variadic<[](double a, double b) { return a + b; }>},
      {"Where", 3, 3, where},
      {"Xor", 2, 2, comparison<[](double a, double b) { return (a != 0) != (b != 0); }>},
  };
}

}  // namespace kernelscape::graph
