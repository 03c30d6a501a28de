#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/interpreter.h"

namespace kernelscape::graph {

using Tensors = std::vector<Tensor>;
using Integers = std::vector<std::int64_t>;

/** A node and its inputs, as the function of an operator reads them. */
class Call {
 public:
  Call(const Node& node, const std::vector<const Tensor*>& inputs) : node_(node), inputs_(inputs) {}

  /** Returns the node. */
  const Node& node() const { return node_; }
  /** Returns the number of inputs, absent ones included. */
  std::size_t input_count() const { return inputs_.size(); }
  /** Returns the number of outputs, absent ones included. */
  std::size_t output_count() const { return node_.outputs.size(); }
  /** Returns true if an input exists and is not absent. */
  bool has(std::size_t input) const { return input < inputs_.size() && inputs_[input] != nullptr; }
  /** Returns an input for which has() is true. */
  const Tensor& operator[](std::size_t input) const { return *inputs_[input]; }
  /** Returns true if an output exists and is not absent. */
  bool wants(std::size_t output) const {
    return output < node_.outputs.size() && node_.outputs[output] != absent;
  }
  /** Returns true if the node has an attribute of a name, of whatever type. */
  bool has_attribute(std::string_view name) const { return node_.attributes.contains(std::string(name)); }

  /** Returns an attribute's integer, as integer_attribute(). */
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
    return integer_attribute(node_, name, otherwise);
  }
  /** Returns an attribute's number, as number_attribute(). */
  double number(std::string_view name, double otherwise) const {
    return number_attribute(node_, name, otherwise);
  }
  /** Returns an attribute's text, as text_attribute(). */
  std::string text(std::string_view name, std::string otherwise) const {
    return text_attribute(node_, name, std::move(otherwise));
  }
  /** Returns an attribute's integers, as integers_attribute(). */
  Integers integers(std::string_view name, Integers otherwise = {}) const {
    return integers_attribute(node_, name, std::move(otherwise));
  }

  /** Returns the error InvalidArgument that names the node and its operator. @param why a clause */
  std::unexpected<Error> refuse(std::string_view why) const;

 private:
  const Node& node_;
  const std::vector<const Tensor*>& inputs_;
};

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/** An operator: its name, how many inputs it has, and the function that computes it. */
struct Operator {
  std::string_view name;
  std::size_t required_inputs;  ///< the first of them, which must not be absent
  std::size_t max_inputs;
  Result<Tensors> (*compute)(const Call& call);
};

// The families, one file each. A new operator is a function there and a line in the table of its family.

std::vector<Operator> activation_operators();
std::vector<Operator> arithmetic_operators();
std::vector<Operator> convolution_operators();
std::vector<Operator> creation_operators();
std::vector<Operator> gathering_operators();
std::vector<Operator> movement_operators();
std::vector<Operator> multiplication_operators();
std::vector<Operator> normalization_operators();
std::vector<Operator> padding_operators();
std::vector<Operator> pooling_operators();
std::vector<Operator> quantization_operators();
std::vector<Operator> reduction_operators();
std::vector<Operator> resizing_operators();
std::vector<Operator> shape_operators();

/** Returns the results of an operator that has one. */
inline Tensors one_result(Tensor tensor) {
  Tensors results;
  results.push_back(std::move(tensor));
  return results;
}

/** Refuses a result's shape that has negative extents or more elements than any model needs. */
Status check_size(const Call& call, const Shape& shape);

/** Returns a tensor with the same number everywhere. Refuses what check_size() refuses. */
Result<Tensor> new_tensor(const Call& call, ElementType type, const Shape& shape, double element = 0);

/** Returns a shape as messages show it: "[1, 3, 224, 224]". */
std::string shape_text(const Shape& shape);

}  // namespace kernelscape::graph
