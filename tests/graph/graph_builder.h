#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/graph/graph.h"
#include "core/graph/interpreter.h"

namespace kernelscape::testing {

/**
 * Builds a graph of F64 tensors node by node. Shapes come from evaluating each node on random operands, so
 * that a test states none.
 */
class GraphBuilder {
 public:
  explicit GraphBuilder(base::Random random) : random_(std::move(random)) {}

  std::size_t input(const graph::Shape& shape) {
    const graph::Tensor tensor = random_tensor(shape, -2, 2);
    inputs.push_back(tensor);
    const std::size_t value = add_value(tensor);
    graph.inputs.push_back(value);
    return value;
  }

  std::size_t constant(const graph::Shape& shape, double lowest = -1, double highest = 1) {
    return constant(random_tensor(shape, lowest, highest));
  }
  std::size_t constant(const graph::Shape& shape, std::vector<double> elements) {
    return constant(graph::Tensor{graph::ElementType::F64, shape, std::move(elements)});
  }
  std::size_t scalar(double number) { return constant({}, std::vector{number}); }
  std::size_t integers(const std::vector<std::int64_t>& numbers) {
    graph::Tensor tensor{graph::ElementType::I64, {static_cast<std::int64_t>(numbers.size())}, {}};
    tensor.elements.assign(numbers.begin(), numbers.end());
    return constant(tensor);
  }

  /** Returns the outputs of a new node. */
  std::vector<std::size_t> nodes(const std::string& operation, std::vector<std::size_t> operands,
                                 std::map<std::string, graph::Attribute> attributes = {},
                                 std::size_t output_count = 1) {
    graph::Node node{.name = operation + std::to_string(graph.nodes.size()),
                     .operation = operation,
                     .inputs = std::move(operands),
                     .outputs = std::vector<std::size_t>(output_count, 0),
                     .attributes = std::move(attributes),
                     .epilogue = {}};
    std::vector<const graph::Tensor*> tensors;
    for (const std::size_t operand : node.inputs)
      tensors.push_back(operand == graph::absent ? nullptr : &tensors_[operand]);
    auto results = graph::evaluate(node, tensors);
    if (!results) throw std::runtime_error(describe(results.error()));
    for (std::size_t i = 0; i < output_count; ++i) node.outputs[i] = add_value((*results)[i]);
    graph.nodes.push_back(node);
    return node.outputs;
  }
  std::size_t node(const std::string& operation, std::vector<std::size_t> operands,
                   std::map<std::string, graph::Attribute> attributes = {}) {
    return nodes(operation, std::move(operands), std::move(attributes)).front();
  }

  const graph::Shape& shape(std::size_t value) const { return graph.values[value].shape; }

  graph::Graph graph;
  std::vector<graph::Tensor> inputs;  ///< random tensors for the graph's inputs

 private:
  graph::Tensor random_tensor(const graph::Shape& shape, double lowest, double highest) {
    graph::Tensor tensor{graph::ElementType::F64, shape, {}};
    for (std::int64_t i = 0; i < graph::element_count(shape); ++i)
      tensor.elements.push_back(lowest + (highest - lowest) * random_.uniform());
    return tensor;
  }

  std::size_t add_value(const graph::Tensor& tensor) {
    tensors_.push_back(tensor);
    return graph.add({.name = "value " + std::to_string(graph.values.size()),
                      .type = tensor.type,
                      .shape = tensor.shape,
                      .constant = false,
                      .data = {}});
  }

  std::size_t constant(const graph::Tensor& tensor) {
    std::vector<std::byte> bytes(tensor.elements.size() * 8);
    for (std::size_t i = 0; i < tensor.elements.size(); ++i) {
      const auto integer = static_cast<std::int64_t>(tensor.elements[i]);
      const void* from = &tensor.elements[i];
      if (tensor.type == graph::ElementType::I64) from = &integer;
      std::memcpy(bytes.data() + 8 * i, from, 8);
    }
    const std::size_t value = add_value(tensor);
    graph.values[value].constant = true;
    graph.values[value].data = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return value;
  }

  base::Random random_;
  std::vector<graph::Tensor> tensors_;  ///< of all values, for the inputs
};

/** Returns the largest difference between two lists of tensors, relative to numbers above 1; infinity for
 * other shapes. */
inline double largest_difference(const std::vector<graph::Tensor>& a, const std::vector<graph::Tensor>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].shape != b[i].shape || a[i].type != b[i].type) return INFINITY;
    for (std::size_t j = 0; j < a[i].elements.size(); ++j) {
      const double scale = std::max(1.0, std::abs(a[i].elements[j]));
      const double difference = std::abs(a[i].elements[j] - b[i].elements[j]) / scale;
      largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
    }
  }
  return largest;
}

}  // namespace kernelscape::testing
