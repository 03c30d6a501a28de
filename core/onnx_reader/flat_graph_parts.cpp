#include "core/onnx_reader/flat_graph_parts.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

/** Returns the value of a constant with one element, for types of counters and conditions. */
std::optional<std::int64_t> only_number(const onnx::TensorProto& tensor) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : tensor.dims())
    if (extent != 1) elements = 0;
  if (elements != 1) return std::nullopt;
  const std::string& bytes = tensor.raw_data();
  if (tensor.data_type() == onnx::TensorProto::INT64) {
    if (tensor.int64_data_size() == 1) return tensor.int64_data(0);
    std::int64_t number = 0;
    if (bytes.size() != sizeof number) return std::nullopt;
    std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }
  if (tensor.data_type() != onnx::TensorProto::BOOL) return std::nullopt;
  if (tensor.int32_data_size() == 1) return tensor.int32_data(0);
  return bytes.size() == 1 ? std::optional<std::int64_t>(bytes.front() != 0) : std::nullopt;
}

}  // namespace

std::string FlatNames::fresh(const NameScope& scope, const std::string& name) {
  const std::string wanted = scope.prefix.empty() ? name : scope.prefix + "/" + name;
  if (used_.insert(wanted).second) return wanted;
  int& number = endings_[wanted];
  for (;;) {
    std::string candidate = fmt::format("{}/{}", wanted, ++number + 1);
    if (used_.insert(candidate).second) return candidate;
  }
}

std::string FlatNames::resolve(NameScope& scope, const std::string& name) {
  if (name.empty()) return name;
  for (NameScope* at = &scope;; at = at->around) {
    if (const auto found = at->names.find(name); found != at->names.end()) return found->second;
    if (at->is_model) return name;
    if (at->around == nullptr) return at->names[name] = fresh(*at, name);
  }
}

std::string FlatNames::define(NameScope& scope, const std::string& name) {
  if (name.empty() || scope.is_model) return name;
  const auto found = scope.names.find(name);
  return found != scope.names.end() ? found->second : scope.names[name] = fresh(scope, name);
}

void ConstantNumbers::note(const std::string& name, const onnx::TensorProto& tensor) {
  if (const auto number = only_number(tensor)) numbers_[name] = *number;
}

void ConstantNumbers::note(const std::string& name, const onnx::NodeProto& node) {
  if (node.op_type() != "Constant" || !node.domain().empty()) return;
  // An attribute whose value comes from a function's call is unknown here.
  if (node.attribute_size() != 1 || !node.attribute(0).ref_attr_name().empty()) return;
  const onnx::AttributeProto& value = node.attribute(0);
  if (value.name() == "value") {
    note(name, value.t());
  } else if (value.name() == "value_int") {
    numbers_[name] = value.i();
  } else if (value.name() == "value_ints" && value.ints_size() == 1) {
    numbers_[name] = value.ints(0);
  }
}

std::optional<std::int64_t> ConstantNumbers::find(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::string overload_of(const google::protobuf::Message& message, int number) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  if (const auto* field = message.GetDescriptor()->FindFieldByNumber(number))
    return reflection.GetString(message, field);
  const google::protobuf::UnknownFieldSet& unknown = reflection.GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (const auto& field = unknown.field(i);
        field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      return field.length_delimited();
  return {};
}

NodeAttributes default_attributes(const onnx::FunctionProto& function) {
  constexpr std::uint32_t field_tag = (11U << 3) | 2;
  NodeAttributes defaults;
  const std::string bytes = function.SerializeAsString();
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = input.ReadTag()) {
    std::uint32_t length = 0;
    std::uint64_t number = 0;
    std::string content;
    const std::uint32_t kind = tag & 7;
    if (kind == 0 && input.ReadVarint64(&number)) continue;
    if (kind != 2 || !input.ReadVarint32(&length) || !input.ReadString(&content, static_cast<int>(length)))
      break;
    onnx::AttributeProto attribute;
    if (tag == field_tag && attribute.ParseFromString(content)) defaults[attribute.name()] = attribute;
  }
  return defaults;
}

bool has_graph(const onnx::NodeProto& node) {
  return std::ranges::any_of(node.attribute(), [](const onnx::AttributeProto& attribute) {
    return attribute.has_g() || attribute.graphs_size() > 0;
  });
}

onnx::NodeProto identity(const std::string& input, const std::string& output) {
  onnx::NodeProto node;
  node.set_op_type("Identity");
  node.add_input(input);
  node.add_output(output);
  return node;
}

onnx::NodeProto marker(std::string_view kind, std::string text, const std::string& output) {
  onnx::NodeProto node;
  node.set_op_type(std::string(kind));
  node.set_domain(std::string(body_domain));
  node.set_name(std::move(text));
  node.add_output(output);
  return node;
}

}  // namespace kernelscape::onnx_reader
