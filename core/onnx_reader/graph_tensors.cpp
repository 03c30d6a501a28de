#include "core/onnx_reader/graph_tensors.h"

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/visible_text.h"

namespace kernelscape::onnx_reader {
namespace {

std::unexpected<Error> bad_tensor(std::string why) {
  return fail(ErrorCode::InvalidArgument, std::move(why), "Export the model again.");
}

/** Returns the positions of cut data that a message has; a damaged model may have several. */
std::vector<std::uint64_t> cut_positions(const google::protobuf::Message& message) {
  std::vector<std::uint64_t> positions;
  const google::protobuf::UnknownFieldSet& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (const auto& field = unknown.field(i); std::cmp_equal(field.number(), measure::cut_data_field) &&
                                              field.type() == google::protobuf::UnknownField::TYPE_VARINT)
      positions.push_back(field.varint());
  return positions;
}

/** Appends the elements of a repeated field as `To` in memory. */
template <typename To>
std::string element_bytes_of(const auto& elements) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(elements.size()) * sizeof(To));
  for (const auto element : elements) {
    const auto converted = static_cast<To>(element);
    bytes.append(reinterpret_cast<const char*>(&converted), sizeof converted);
  }
  return bytes;
}

/** Returns the elements that stand in the field of the tensor's type. */
std::string typed_bytes(const onnx::TensorProto& tensor) {
  using enum graph::ElementType;
  switch (element_type(tensor.data_type()).value_or(F32)) {
    case F32:
      return element_bytes_of<float>(tensor.float_data());
    case F64:
      return element_bytes_of<double>(tensor.double_data());
    case I64:
      return element_bytes_of<std::int64_t>(tensor.int64_data());
    case U64:
      return element_bytes_of<std::uint64_t>(tensor.uint64_data());
    case U32:
      return element_bytes_of<std::uint32_t>(tensor.uint64_data());
    case I32:
      return element_bytes_of<std::int32_t>(tensor.int32_data());
    case F16:
    case BF16:
    case I16:
    case U16:
      return element_bytes_of<std::uint16_t>(tensor.int32_data());
    case I8:
    case U8:
    case Bool:
      return element_bytes_of<std::uint8_t>(tensor.int32_data());
  }
  return {};
}

bool has_typed_data(const onnx::TensorProto& tensor) {
  return tensor.float_data_size() > 0 || tensor.double_data_size() > 0 || tensor.int32_data_size() > 0 ||
         tensor.int64_data_size() > 0 || tensor.uint64_data_size() > 0;
}

Status set_external(const onnx::TensorProto& tensor, measure::ModelValue& value) {
  value.data = measure::ModelData::External;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") value.bytes = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    std::int64_t number = 0;
    const std::string& text = entry.value();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0)
      return bad_tensor(
          fmt::format("the {} of its external data is {}", entry.key(), base::quoted_line(text)));
    if (entry.key() == "offset")
      value.number = static_cast<std::uint64_t>(number);
    else
      value.length = number;
  }
  return {};
}

}  // namespace

std::optional<graph::ElementType> element_type(int type) {
  using enum graph::ElementType;
  switch (type) {
    case onnx::TensorProto::FLOAT:
      return F32;
    case onnx::TensorProto::DOUBLE:
      return F64;
    case onnx::TensorProto::FLOAT16:
      return F16;
    case onnx::TensorProto::BFLOAT16:
      return BF16;
    case onnx::TensorProto::INT8:
      return I8;
    case onnx::TensorProto::UINT8:
      return U8;
    case onnx::TensorProto::INT16:
      return I16;
    case onnx::TensorProto::UINT16:
      return U16;
    case onnx::TensorProto::INT32:
      return I32;
    case onnx::TensorProto::UINT32:
      return U32;
    case onnx::TensorProto::INT64:
      return I64;
    case onnx::TensorProto::UINT64:
      return U64;
    case onnx::TensorProto::BOOL:
      return Bool;
    default:
      return std::nullopt;
  }
}

bool has_cut_data(const google::protobuf::Message& message) { return !cut_positions(message).empty(); }

Status set_constant(const onnx::TensorProto& tensor, measure::ModelValue& value) {
  const std::optional<graph::ElementType> type = element_type(tensor.data_type());
  if (!type) return bad_tensor("its type is no number, or no supported one");
  value.type = static_cast<std::uint8_t>(*type);
  value.shape.assign(tensor.dims().begin(), tensor.dims().end());
  if (tensor.has_segment()) return bad_tensor("it is only a segment of a tensor");
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) return set_external(tensor, value);
  const std::vector<std::uint64_t> cut = cut_positions(tensor);
  const int kinds =
      static_cast<int>(cut.size()) + (tensor.raw_data().empty() ? 0 : 1) + (has_typed_data(tensor) ? 1 : 0);
  if (kinds > 1) return bad_tensor("its data stands in several fields");
  if (!cut.empty()) {
    value.data = measure::ModelData::Cut;
    value.number = cut.front();
    return {};
  }
  value.data = measure::ModelData::Bytes;
  value.bytes = has_typed_data(tensor) ? typed_bytes(tensor) : tensor.raw_data();
  return {};
}

GraphConstants::GraphConstants(onnx::GraphProto& graph) : graph_(graph) {
  for (const auto& input : graph.input()) names_.insert(input.name());
  for (const auto& node : graph.node()) {
    names_.insert(node.input().begin(), node.input().end());
    names_.insert(node.output().begin(), node.output().end());
  }
  for (const auto& constant : graph.initializer()) {
    names_.insert(constant.name());
    by_name_.emplace(constant.name(), &constant);
  }
}

std::string GraphConstants::unique_name(const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; !names_.insert(name).second; ++number) name = fmt::format("{}/{}", wanted, number);
  return name;
}

onnx::TensorProto& GraphConstants::add(const std::string& wanted, int type) {
  onnx::TensorProto& tensor = *graph_.add_initializer();
  tensor.set_name(unique_name(wanted));
  tensor.set_data_type(type);
  by_name_.emplace(tensor.name(), &tensor);
  return tensor;
}

std::string GraphConstants::add_integers(const std::string& wanted, const std::vector<std::int64_t>& values) {
  onnx::TensorProto& tensor = add(wanted, onnx::TensorProto::INT64);
  tensor.add_dims(std::ssize(values));
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return tensor.name();
}

std::string GraphConstants::add_vector(const std::string& wanted, const std::vector<float>& values) {
  onnx::TensorProto& tensor = add(wanted, onnx::TensorProto::FLOAT);
  tensor.add_dims(std::ssize(values));
  for (const float value : values) tensor.add_float_data(value);
  return tensor.name();
}

std::string GraphConstants::add_scalar(const std::string& wanted, float value) {
  onnx::TensorProto& tensor = add(wanted, onnx::TensorProto::FLOAT);
  tensor.add_float_data(value);
  return tensor.name();
}

std::optional<graph::Value> GraphConstants::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  measure::ModelValue value;
  if (!set_constant(*found->second, value) || value.data != measure::ModelData::Bytes) return std::nullopt;
  std::vector<std::byte> bytes(value.bytes.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), value.bytes.data(), bytes.size());
  const auto type = static_cast<graph::ElementType>(value.type);
  const std::int64_t count = std::ssize(bytes) / graph::bytes_of(type);
  return graph::Value{.name = name,
                      .type = type,
                      .shape = {count},
                      .constant = true,
                      .data = std::make_shared<const std::vector<std::byte>>(std::move(bytes))};
}

std::optional<std::vector<std::int64_t>> GraphConstants::integers(const std::string& name) const {
  const std::optional<graph::Value> value = find(name);
  auto integers = value ? graph::constant_integers(*value) : std::unexpected(Error());
  return integers ? std::optional(std::move(*integers)) : std::nullopt;
}

std::optional<std::vector<double>> GraphConstants::numbers(const std::string& name) const {
  const std::optional<graph::Value> value = find(name);
  auto numbers = value ? graph::constant_doubles(*value) : std::unexpected(Error());
  return numbers ? std::optional(std::move(*numbers)) : std::nullopt;
}

}  // namespace kernelscape::onnx_reader
