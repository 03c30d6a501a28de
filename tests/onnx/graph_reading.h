#pragma once

#include <QTest>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/onnx_reader/graph.h"
#include "tests/onnx/model_builder.h"

namespace kernelscape::testing {

/** A graph that was read in this process, with what tests ask of it. */
struct ReadGraph {
  measure::ModelGraph graph;
  std::vector<std::string> notices;

  /** "Conv Relu": the operators in their order. */
  std::string operators() const {
    std::string text;
    for (const measure::ModelNode& node : graph.nodes) text += (text.empty() ? "" : " ") + node.operation;
    return text;
  }
  const measure::ModelNode& node(const std::string& operation) const {
    const auto found = std::ranges::find(graph.nodes, operation, &measure::ModelNode::operation);
    if (found == graph.nodes.end()) qFatal("there is no %s", operation.c_str());
    return *found;
  }
  const measure::ModelValue& value(std::int64_t position) const {
    return graph.values.at(static_cast<std::size_t>(position));
  }
  const measure::ModelValue& value(const std::string& name) const {
    const auto found = std::ranges::find(graph.values, name, &measure::ModelValue::name);
    if (found == graph.values.end()) qFatal("there is no %s", name.c_str());
    return *found;
  }
  const measure::ModelValue& input(const std::string& operation, std::size_t number) const {
    return value(node(operation).inputs.at(number));
  }
  const measure::ModelAttribute* attribute(const std::string& operation, const std::string& name) const {
    const auto& attributes = node(operation).attributes;
    const auto found = std::ranges::find(attributes, name, &measure::ModelAttribute::name);
    return found == attributes.end() ? nullptr : &*found;
  }
};

/** The elements of a constant in the message. */
template <typename T>
std::vector<T> elements_of(const measure::ModelValue& value) {
  std::vector<T> elements(value.bytes.size() / sizeof(T));
  std::memcpy(elements.data(), value.bytes.data(), elements.size() * sizeof(T));
  return elements;
}

inline ReadGraph read_graph(const ModelBuilder& builder,
                            std::vector<measure::ModelDimension> dimensions = {}) {
  Result<measure::ModelReply> reply = onnx_reader::read_onnx_graph(builder.request(std::move(dimensions)));
  if (!reply) qFatal("%s", describe(reply.error()).c_str());
  return {std::move(reply->graph), std::move(reply->notices)};
}

inline Error graph_error(const ModelBuilder& builder, std::vector<measure::ModelDimension> dimensions = {}) {
  const Result<measure::ModelReply> reply =
      onnx_reader::read_onnx_graph(builder.request(std::move(dimensions)));
  if (reply) qFatal("it was read");
  return reply.error();
}

/** Adds an attribute with a number to the last node of a model. */
inline void add_float(ModelBuilder& builder, const std::string& name, float value) {
  onnx::AttributeProto& attribute =
      *builder.model().mutable_graph()->mutable_node()->rbegin()->add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
}

/** Adds an attribute with numbers to the last node of a model. */
inline void add_floats(ModelBuilder& builder, const std::string& name, const std::vector<float>& values) {
  onnx::AttributeProto& attribute =
      *builder.model().mutable_graph()->mutable_node()->rbegin()->add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOATS);
  for (const float value : values) attribute.add_floats(value);
}

}  // namespace kernelscape::testing
