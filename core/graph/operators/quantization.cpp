#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/graph/operators/conversion.h"
#include "core/graph/operators/convolution.h"
#include "core/graph/operators/indexing.h"
#include "core/graph/operators/multiplication.h"
#include "core/graph/operators/operator.h"
#include "core/graph/operators/zero_point.h"

namespace kernelscape::graph {

namespace {

/** The inputs of a node that are a scale and its zero point, which may be absent, and the axis of vectors. */
struct Quantization {
  std::size_t scale;
  std::size_t zero_point;
  std::int64_t axis;
};

/** Changes each element with its scale and its zero point: change(element, scale, zero point). */
template <typename Change>
Status change_scaled(const Call& call, const Quantization& quantization, Tensor& tensor,
                     const Change& change) {
  const Tensor none{tensor.type, {}, {0}};
  const Tensor& scale = call[quantization.scale];
  const Tensor& zero = call.has(quantization.zero_point) ? call[quantization.zero_point] : none;
  const Integers scale_strides = TRY(parameter_strides(call, scale, tensor.shape, quantization.axis));
  const Integers zero_strides = TRY(parameter_strides(call, zero, tensor.shape, quantization.axis));
  auto element = tensor.elements.begin();
  for_each_offset<2>(tensor.shape, {scale_strides, zero_strides}, [&](const auto& offsets) {
    *element = change(*element, at(scale, offsets[0]), at(zero, offsets[1]));
    ++element;
  });
  return {};
}

/** Returns an element divided by a scale, as a float: in double, others would be the ties of the rounding. */
double scaled_quotient(double element, double scale) {
  return converted(ElementType::F64, ElementType::F32, element / scale);
}

/** Divides by the scale, rounds ties to even, adds the zero point and saturates. */
Status quantize(const Call& call, const Quantization& quantization, Tensor& tensor) {
  tensor.type = call.has(quantization.zero_point) ? call[quantization.zero_point].type : ElementType::U8;
  if (!is_integer(tensor.type)) return call.refuse("its zero point is not an integer");
  return change_scaled(call, quantization, tensor, [&](double x, double scale, double zero) {
    return saturated(tensor.type, std::nearbyint(scaled_quotient(x, scale)) + zero);
  });
}

/** Subtracts the zero point and multiplies by the scale. */
Status dequantize(const Call& call, const Quantization& quantization, Tensor& tensor) {
  tensor.type = ElementType::F32;
  return change_scaled(call, quantization, tensor,
                       [](double x, double scale, double zero) { return (x - zero) * scale; });
}

Result<Tensors> quantize_linear(const Call& call) {
  Tensor result = call[0];
  TRY(quantize(call, {1, 2, call.integer("axis", 1)}, result));
  return one_result(std::move(result));
}

Result<Tensors> dequantize_linear(const Call& call) {
  Tensor result = call[0];
  TRY(dequantize(call, {1, 2, call.integer("axis", 1)}, result));
  return one_result(std::move(result));
}

Result<Tensors> dynamic_quantize_linear(const Call& call) {
  double lowest = 0;
  double highest = 0;
  for (const double element : call[0].elements) {
    lowest = std::min(lowest, element);
    highest = std::max(highest, element);
  }
  // A float, as every reader of the scale has it.
  const double difference = converted(ElementType::F64, ElementType::F32, (highest - lowest) / 255);
  const double scale = difference > 0 ? difference : 1;
  const double zero = saturated(ElementType::U8, std::nearbyint(scaled_quotient(-lowest, scale)));
  Tensor result = call[0];
  result.type = ElementType::U8;
  for (double& element : result.elements)
    element = saturated(ElementType::U8, std::nearbyint(scaled_quotient(element, scale)) + zero);
  Tensors results = one_result(std::move(result));
  results.push_back({ElementType::F32, {}, {scale}});
  results.push_back({ElementType::U8, {}, {zero}});
  return results;
}

/** Refuses absent inputs among the first eight. */
Status check_eight_inputs(const Call& call) {
  for (std::size_t input = 0; input < 8; ++input)
    if (!call.has(input) && input != 2 && input != 5 && input != 7)
      return call.refuse(fmt::format("its input {} is absent", input));
  return {};
}

Result<Tensors> quantized_convolution(const Call& call) {
  TRY(check_eight_inputs(call));
  const Tensor input = TRY(without_zero_point(call, 0, 2, 1));
  const Tensor weights = TRY(without_zero_point(call, 3, 5, 0));
  Tensor result = TRY(convolve(call, input, weights, call.has(8) ? &call[8] : nullptr, ElementType::I32));
  if (call[1].elements.size() != 1) return call.refuse("the scale of its input is not one number");
  TRY(change_scaled(call, {.scale = 4, .zero_point = absent, .axis = 1}, result,
                    [&](double x, double scale, double) { return x * (scale * call[1].elements[0]); }));
  TRY(quantize(call, {6, 7, 1}, result));
  return one_result(std::move(result));
}

Result<Tensors> quantized_multiplication(const Call& call) {
  TRY(check_eight_inputs(call));
  Tensor left = call[0];
  TRY(dequantize(call, {1, 2, left.shape.size() > 1 ? -2 : -1}, left));
  Tensor right = call[3];
  TRY(dequantize(call, {4, 5, -1}, right));
  Tensor result = TRY(multiply_matrices(call, left, right, ElementType::F32));
  TRY(quantize(call, {6, 7, result.shape.size() > 1 ? -2 : -1}, result));
  return one_result(std::move(result));
}

/** com.microsoft.QLinearAdd and QLinearMul. */
template <auto F>
Result<Tensors> quantized_arithmetic(const Call& call) {
  TRY(check_eight_inputs(call));
  Tensor left = call[0];
  TRY(dequantize(call, {1, 2, 1}, left));
  Tensor right = call[3];
  TRY(dequantize(call, {4, 5, 1}, right));
  const std::optional<Shape> shape = broadcast_shape(left.shape, right.shape);
  if (!shape) {
    return call.refuse(fmt::format("the shapes {} and {} do not fit together", shape_text(left.shape),
                                   shape_text(right.shape)));
  }
  Tensor result = TRY(new_tensor(call, ElementType::F32, *shape));
  auto element = result.elements.begin();
  for_each_offset<2>(
      *shape, {broadcast_strides(left.shape, *shape), broadcast_strides(right.shape, *shape)},
      [&](const auto& offsets) { *element++ = F(at(left, offsets[0]), at(right, offsets[1])); });
  TRY(quantize(call, {6, 7, 1}, result));
  return one_result(std::move(result));
}

}  // namespace

std::vector<Operator> quantization_operators() {
  return {
      {"DequantizeLinear", 2, 3, dequantize_linear},
      {"DynamicQuantizeLinear", 1, 1, dynamic_quantize_linear},
      {"QLinearConv", 2, 9, quantized_convolution},
      {"QLinearMatMul", 2, 8, quantized_multiplication},
      {"QuantizeLinear", 2, 3, quantize_linear},
      {"com.microsoft.QLinearAdd", 2, 8, quantized_arithmetic<[](double a, double b) { return a + b; }>},
      {"com.microsoft.QLinearMul", 2, 8, quantized_arithmetic<[](double a, double b) { return a * b; }>},
  };
}

}  // namespace kernelscape::graph
