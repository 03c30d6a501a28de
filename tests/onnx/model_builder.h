#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/measure/worker/model_messages.h"

namespace kernelscape::testing {

/** An attribute of a node: a number, numbers, a text. */
using AttributeValue = std::variant<std::int64_t, std::vector<std::int64_t>, std::string>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;
/** A dimension: a number, or a name. */
using Dimension = std::variant<std::int64_t, std::string>;

/** Writes small models, as exporters do. */
class ModelBuilder {
 public:
  explicit ModelBuilder(std::int64_t operator_set = 13) {
    model_.set_ir_version(8);
    if (operator_set > 0) model_.add_opset_import()->set_version(operator_set);
    model_.mutable_graph()->set_name("a test's graph");
  }

  ModelBuilder& input(const std::string& name, const std::vector<Dimension>& shape,
                      int type = onnx::TensorProto::FLOAT) {
    set_type(*model_.mutable_graph()->add_input(), name, shape, type);
    return *this;
  }
  ModelBuilder& output(const std::string& name) {
    model_.mutable_graph()->add_output()->set_name(name);
    return *this;
  }
  /** What the model says of a result inside. */
  ModelBuilder& declare(const std::string& name, const std::vector<Dimension>& shape,
                        int type = onnx::TensorProto::FLOAT) {
    set_type(*model_.mutable_graph()->add_value_info(), name, shape, type);
    return *this;
  }
  /** Of zeros. */
  ModelBuilder& weight(const std::string& name, const std::vector<std::int64_t>& shape,
                       int type = onnx::TensorProto::FLOAT) {
    onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
      tensor.add_dims(extent);
      count *= extent;
    }
    if (count <= 1 << 20) tensor.set_raw_data(std::string(static_cast<std::size_t>(count) * 4, '\0'));
    return *this;
  }
  ModelBuilder& numbers(const std::string& name, const std::vector<std::int64_t>& values) {
    onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) tensor.add_int64_data(value);
    return *this;
  }
  ModelBuilder& node(const std::string& op, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, const Attributes& attributes = {},
                     const std::string& name = {}, const std::string& domain = {}) {
    onnx::NodeProto& node = *model_.mutable_graph()->add_node();
    node.set_op_type(op);
    if (!name.empty()) node.set_name(name);
    if (!domain.empty()) node.set_domain(domain);
    for (const std::string& input : inputs) node.add_input(input);
    for (const std::string& output : outputs) node.add_output(output);
    for (const auto& [key, value] : attributes) add_attribute(node, key, value);
    return *this;
  }

  /** A node whose attributes are graphs: those of the other builders. */
  ModelBuilder& node_with_bodies(const std::string& op, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs,
                                 const std::vector<std::pair<std::string, ModelBuilder>>& bodies,
                                 const Attributes& attributes = {}, const std::string& name = {}) {
    node(op, inputs, outputs, attributes, name);
    for (const auto& [attribute_name, body] : bodies) {
      onnx::AttributeProto& attribute = *model_.mutable_graph()->mutable_node()->rbegin()->add_attribute();
      attribute.set_name(attribute_name);
      attribute.set_type(onnx::AttributeProto::GRAPH);
      *attribute.mutable_g() = body.model_.graph();
    }
    return *this;
  }

  /** A function of the model, of the nodes of another builder. */
  onnx::FunctionProto& function(const std::string& domain, const std::string& name,
                                const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs, const ModelBuilder& body) {
    onnx::FunctionProto& function = *model_.add_functions();
    function.set_domain(domain);
    function.set_name(name);
    for (const std::string& input : inputs) function.add_input(input);
    for (const std::string& output : outputs) function.add_output(output);
    *function.mutable_node() = body.model_.graph().node();
    *function.add_opset_import() = model_.opset_import(0);
    return function;
  }

  onnx::ModelProto& model() { return model_; }
  std::string bytes() const { return model_.SerializeAsString(); }
  measure::ModelRequest request(std::vector<measure::ModelDimension> dimensions = {}) const {
    return {bytes(), std::move(dimensions)};
  }

 private:
  static void set_type(onnx::ValueInfoProto& value, const std::string& name,
                       const std::vector<Dimension>& shape, int type) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (const Dimension& extent : shape) {
      auto& dimension = *tensor.mutable_shape()->add_dim();
      if (const auto* number = std::get_if<std::int64_t>(&extent)) {
        if (*number >= 0) dimension.set_dim_value(*number);
      } else {
        dimension.set_dim_param(std::get<std::string>(extent));
      }
    }
  }

  static void add_attribute(onnx::NodeProto& node, const std::string& key, const AttributeValue& value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(key);
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      attribute.set_type(onnx::AttributeProto::INT);
      attribute.set_i(*number);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      attribute.set_type(onnx::AttributeProto::STRING);
      attribute.set_s(*text);
    } else {
      attribute.set_type(onnx::AttributeProto::INTS);
      for (const std::int64_t item : std::get<std::vector<std::int64_t>>(value)) attribute.add_ints(item);
    }
  }

  onnx::ModelProto model_;
};

}  // namespace kernelscape::testing
