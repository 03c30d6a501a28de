#pragma once

#include <onnx/onnx_pb.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/interpreter.h"

namespace kernelscape::testing {

/** Returns the type of ONNX's tensors; nullopt for texts and complex numbers. */
inline std::optional<graph::ElementType> element_type(int type) {
  using graph::ElementType;
  switch (type) {
    case onnx::TensorProto::FLOAT:
      return ElementType::F32;
    case onnx::TensorProto::DOUBLE:
      return ElementType::F64;
    case onnx::TensorProto::FLOAT16:
      return ElementType::F16;
    case onnx::TensorProto::BFLOAT16:
      return ElementType::BF16;
    case onnx::TensorProto::INT8:
      return ElementType::I8;
    case onnx::TensorProto::UINT8:
      return ElementType::U8;
    case onnx::TensorProto::INT16:
      return ElementType::I16;
    case onnx::TensorProto::UINT16:
      return ElementType::U16;
    case onnx::TensorProto::INT32:
      return ElementType::I32;
    case onnx::TensorProto::UINT32:
      return ElementType::U32;
    case onnx::TensorProto::INT64:
      return ElementType::I64;
    case onnx::TensorProto::UINT64:
      return ElementType::U64;
    case onnx::TensorProto::BOOL:
      return ElementType::Bool;
    default:
      return std::nullopt;
  }
}

/** Returns the number that the bits of a floating-point type stand for. */
inline double number_of_bits(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const std::uint32_t fraction = bits & ((1U << fraction_bits) - 1);
  const auto exponent = static_cast<int>((bits >> fraction_bits) & ((1U << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> (exponent_bits + fraction_bits)) != 0 ? -1 : 1;
  const double part = std::ldexp(fraction, -fraction_bits);
  if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? std::nan("") : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, exponent - bias));
}

/** Returns the elements of raw data. */
template <typename T>
std::vector<double> raw_elements(const std::string& bytes) {
  std::vector<double> elements;
  for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T element;
    std::memcpy(&element, bytes.data() + i, sizeof(T));
    elements.push_back(static_cast<double>(element));
  }
  return elements;
}

/** Returns the elements of raw data, or those of the typed fields. */
inline std::vector<double> elements_of(const onnx::TensorProto& tensor, graph::ElementType type) {
  using graph::ElementType;
  const std::string& raw = tensor.raw_data();
  const auto floats = [&](int exponent_bits, int fraction_bits) {
    std::vector<double> elements = raw_elements<std::uint16_t>(raw);
    if (raw.empty()) elements.assign(tensor.int32_data().begin(), tensor.int32_data().end());
    for (double& element : elements)
      element = number_of_bits(static_cast<std::uint32_t>(element), exponent_bits, fraction_bits);
    return elements;
  };
  if (type == ElementType::F16) return floats(5, 10);
  if (type == ElementType::BF16) return floats(8, 7);
  if (raw.empty()) {
    if (type == ElementType::F32) return {tensor.float_data().begin(), tensor.float_data().end()};
    if (type == ElementType::F64) return {tensor.double_data().begin(), tensor.double_data().end()};
    std::vector<double> elements;
    const auto append = [&](const auto& data) {
      for (const auto element : data) elements.push_back(static_cast<double>(element));
    };
    append(tensor.int32_data());
    append(tensor.int64_data());
    append(tensor.uint64_data());
    return elements;
  }
  switch (type) {
    case ElementType::F32:
      return raw_elements<float>(raw);
    case ElementType::F64:
      return raw_elements<double>(raw);
    case ElementType::I8:
      return raw_elements<std::int8_t>(raw);
    case ElementType::I16:
      return raw_elements<std::int16_t>(raw);
    case ElementType::U16:
      return raw_elements<std::uint16_t>(raw);
    case ElementType::I32:
      return raw_elements<std::int32_t>(raw);
    case ElementType::U32:
      return raw_elements<std::uint32_t>(raw);
    case ElementType::I64:
      return raw_elements<std::int64_t>(raw);
    case ElementType::U64:
      return raw_elements<std::uint64_t>(raw);
    default:
      return raw_elements<std::uint8_t>(raw);
  }
}

/** Returns ONNX's tensor as one of doubles; nullopt for types without one. */
inline std::optional<graph::Tensor> tensor_of(const onnx::TensorProto& tensor) {
  const std::optional<graph::ElementType> type = element_type(tensor.data_type());
  if (!type) return std::nullopt;
  return graph::Tensor{*type, {tensor.dims().begin(), tensor.dims().end()}, elements_of(tensor, *type)};
}

/** A node with the tensors that its attributes hold. */
struct ConvertedNode {
  graph::Node node;
  std::vector<graph::Tensor> tensors;  ///< in the order of the attributes; they follow the inputs
};

/** Returns ONNX's node with names in place of numbers of values; nullopt if an attribute is a graph or alike.
 */
inline std::optional<ConvertedNode> converted_node(const onnx::NodeProto& source) {
  ConvertedNode converted;
  converted.node.name = source.name().empty() ? source.op_type() : source.name();
  converted.node.operation =
      source.domain().empty() ? source.op_type() : source.domain() + "." + source.op_type();
  for (const onnx::AttributeProto& attribute : source.attribute()) {
    graph::Attribute& target = converted.node.attributes[attribute.name()];
    switch (attribute.type()) {
      case onnx::AttributeProto::INT:
        target = attribute.i();
        break;
      case onnx::AttributeProto::FLOAT:
        target = static_cast<double>(attribute.f());
        break;
      case onnx::AttributeProto::STRING:
        target = attribute.s();
        break;
      case onnx::AttributeProto::INTS:
        target = std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
        break;
      case onnx::AttributeProto::FLOATS:
        target = std::vector<double>(attribute.floats().begin(), attribute.floats().end());
        break;
      case onnx::AttributeProto::STRINGS:
        target = std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
        break;
      case onnx::AttributeProto::TENSOR: {
        std::optional<graph::Tensor> tensor = tensor_of(attribute.t());
        if (!tensor) return std::nullopt;
        converted.tensors.push_back(*std::move(tensor));
        converted.node.attributes.erase(attribute.name());
        break;
      }
      default:
        return std::nullopt;
    }
  }
  return converted;
}

}  // namespace kernelscape::testing
