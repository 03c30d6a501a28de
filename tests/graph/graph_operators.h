#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/graph/interpreter.h"

namespace kernelscape::testing {

/** Returns a node with one result. */
inline graph::Node make_node(std::string operation, std::map<std::string, graph::Attribute> attributes = {}) {
  graph::Node node;
  node.name = "the node";
  node.operation = std::move(operation);
  node.outputs = {0};
  node.attributes = std::move(attributes);
  return node;
}

/** Returns a tensor of small random numbers. */
inline graph::Tensor random_tensor(base::Random& random, graph::Shape shape) {
  graph::Tensor tensor{graph::ElementType::F32, std::move(shape), {}};
  for (std::int64_t i = 0; i < graph::element_count(tensor.shape); ++i)
    tensor.elements.push_back(random.uniform() * 4 - 2);
  return tensor;
}

/** Returns a random integer from `lowest` to `highest`. */
inline std::int64_t draw(base::Random& random, std::int64_t lowest, std::int64_t highest) {
  return lowest + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(highest - lowest + 1)));
}

/** Returns an element by its index; 0 outside of the tensor. */
inline double element_at(const graph::Tensor& tensor, const std::vector<std::int64_t>& index) {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (index[axis] < 0 || index[axis] >= tensor.shape[axis]) return 0;
    offset = offset * tensor.shape[axis] + index[axis];
  }
  return tensor.elements[static_cast<std::size_t>(offset)];
}

/** Returns where two tensors differ, or an empty text. */
inline std::string tensor_difference(const graph::Tensor& result, const graph::Tensor& expected) {
  if (result.shape != expected.shape || result.elements.size() != expected.elements.size())
    return "another shape";
  for (std::size_t i = 0; i < result.elements.size(); ++i) {
    const double distance = std::abs(result.elements[i] - expected.elements[i]);
    if (!(distance <= 1e-9)) {
      return "element " + std::to_string(i) + " is " + std::to_string(result.elements[i]) + " in place of " +
             std::to_string(expected.elements[i]);
    }
  }
  return {};
}

}  // namespace kernelscape::testing
