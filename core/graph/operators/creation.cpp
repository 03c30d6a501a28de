#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/graph/operators/conversion.h"
#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** Returns the type of a number of ONNX's TensorProto.DataType. */
Result<ElementType> type_of_number(const Call& call, std::int64_t number) {
  constexpr std::array<std::pair<std::int64_t, ElementType>, 13> types = {{{1, ElementType::F32},
                                                                           {2, ElementType::U8},
                                                                           {3, ElementType::I8},
                                                                           {4, ElementType::U16},
                                                                           {5, ElementType::I16},
                                                                           {6, ElementType::I32},
                                                                           {7, ElementType::I64},
                                                                           {9, ElementType::Bool},
                                                                           {10, ElementType::F16},
                                                                           {11, ElementType::F64},
                                                                           {12, ElementType::U32},
                                                                           {13, ElementType::U64},
                                                                           {16, ElementType::BF16}}};
  for (const auto& [known, type] : types)
    if (known == number) return type;
  return call.refuse(fmt::format("its type, number {} of ONNX's, is not supported", number));
}

/** Returns the first input with its elements converted to a type. */
Tensor cast_to(const Tensor& input, ElementType type) {
  Tensor result{type, input.shape, {}};
  result.elements.reserve(input.elements.size());
  for (const double element : input.elements) result.elements.push_back(converted(input.type, type, element));
  return result;
}

Result<Tensors> cast(const Call& call) {
  if (!call.has_attribute("to")) return call.refuse("its attribute to is missing");
  return one_result(cast_to(call[0], TRY(type_of_number(call, call.integer("to", 0)))));
}

Result<Tensors> cast_like(const Call& call) { return one_result(cast_to(call[0], call[1].type)); }

/** Constant, whose tensor is its input or whose numbers are attributes. */
Result<Tensors> constant(const Call& call) {
  if (call.has(0)) return one_result(call[0]);
  if (call.has_attribute("value_float"))
    return one_result({ElementType::F32, {}, {call.number("value_float", 0)}});
  if (call.has_attribute("value_int"))
    return one_result({ElementType::I64, {}, {static_cast<double>(call.integer("value_int", 0))}});
  if (call.has_attribute("value_ints")) {
    const Integers integers = call.integers("value_ints");
    return one_result({ElementType::I64,
                       {static_cast<std::int64_t>(integers.size())},
                       std::vector<double>(integers.begin(), integers.end())});
  }
  const auto found = call.node().attributes.find("value_floats");
  if (found != call.node().attributes.end()) {
    if (const auto* numbers = std::get_if<std::vector<double>>(&found->second))
      return one_result({ElementType::F32, {static_cast<std::int64_t>(numbers->size())}, *numbers});
  }
  return call.refuse("it has no value");
}

Result<Tensors> constant_of_shape(const Call& call) {
  if (!call.has(1)) return one_result(TRY(new_tensor(call, ElementType::F32, integers_of(call[0]))));
  if (call[1].elements.size() != 1) return call.refuse("its value is not one number");
  return one_result(TRY(new_tensor(call, call[1].type, integers_of(call[0]), call[1].elements[0])));
}

Result<Tensors> range(const Call& call) {
  for (std::size_t input = 0; input < 3; ++input)
    if (call[input].elements.size() != 1) return call.refuse("its operands are not single numbers");
  const double start = call[0].elements[0];
  const double step = call[2].elements[0];
  const double count = std::ceil((call[1].elements[0] - start) / step);
  if (!std::isfinite(count)) return call.refuse(fmt::format("its step of {} has no end", step));
  Tensor result = TRY(new_tensor(call, call[0].type, {std::max<std::int64_t>(to_integer(count), 0)}));
  for (std::size_t i = 0; i < result.elements.size(); ++i)
    result.elements[i] = start + static_cast<double>(i) * step;
  return one_result(std::move(result));
}

Result<Tensors> eye_like(const Call& call) {
  if (call[0].shape.size() != 2) return call.refuse("its input is not a matrix");
  const ElementType type =
      call.has_attribute("dtype") ? TRY(type_of_number(call, call.integer("dtype", 0))) : call[0].type;
  Tensor result = TRY(new_tensor(call, type, call[0].shape));
  const std::int64_t columns = result.shape[1];
  for (std::int64_t row = 0; row < result.shape[0]; ++row) {
    const std::int64_t column = row + std::clamp(call.integer("k", 0), -result.shape[0], columns);
    if (column >= 0 && column < columns) at(result, row * columns + column) = 1;
  }
  return one_result(std::move(result));
}

}  // namespace

std::vector<Operator> creation_operators() {
  return {
      {"Cast", 1, 1, cast},         {"CastLike", 2, 2, cast_like},
      {"Constant", 0, 1, constant}, {"ConstantOfShape", 1, 2, constant_of_shape},
      {"EyeLike", 1, 1, eye_like},  {"Range", 3, 3, range},
  };
}

}  // namespace kernelscape::graph
