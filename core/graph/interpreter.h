#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace kernelscape::graph {

/**
 * A tensor whose elements are doubles in row-major order, whatever its type; a Bool is 0 or 1. Integers
 * beyond 2^53 are rounded, so that INT64_MAX as the end of a Slice stays "to the end".
 */
struct Tensor {
  ElementType type = ElementType::F32;
  Shape shape;
  std::vector<double> elements;

  bool operator==(const Tensor&) const = default;
};

/** Returns a constant of a graph. Errors as constant_doubles(). */
Result<Tensor> constant_tensor(const Value& value);

/**
 * Computes one node in double precision, without its epilogue. Results of floating-point types are not
 * rounded to their type, except by Cast; those of integer types are integers.
 *
 * The `value` of a ConstantOfShape and a Constant, which is a tensor, is the last input.
 *
 * @param inputs the operator's own inputs in their order; nullptr for an absent one
 * @return one tensor for each output of the node; that of an absent output may be empty
 * Errors: NotFound for an unknown operator, InvalidArgument for inputs or attributes that the operator does
 * not accept. The message names the node and the operator.
 */
Result<std::vector<Tensor>> evaluate(const Node& node, const std::vector<const Tensor*>& inputs);

/**
 * Computes the outputs of a graph in double precision, with the epilogues of its nodes. A value is freed
 * after its last use. Convolutions and multiplications use all cores.
 *
 * @param inputs tensors for graph.inputs, in their order and of their types and shapes
 * Errors: as evaluate(); InvalidArgument for other inputs, or results that have not the shape of their value.
 */
Result<std::vector<Tensor>> interpret(const Graph& graph, const std::vector<Tensor>& inputs);

/** How many inputs an operator has: the required ones come first and must not be absent. */
struct Arity {
  std::size_t required_inputs = 0;
  std::size_t max_inputs = 0;
};

/** Returns the arity of an operator that evaluate() knows; nullopt for another. */
std::optional<Arity> arity_of(std::string_view operation);

/** Returns the names of the operators that evaluate() knows, sorted. */
std::vector<std::string> known_operations();

}  // namespace kernelscape::graph
