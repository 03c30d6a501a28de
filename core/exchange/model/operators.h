#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/exchange/model/model_steps.h"
#include "core/graph/graph.h"

namespace kernelscape::exchange {

/** Appends the steps of one node, without its epilogue, and adds the forms of its outputs. */
using WriteOperator = Status (*)(ModelSteps& steps, const graph::Node& node);

/** Returns the function that writes an operator; nullptr if a model's library has none. */
WriteOperator find_operator(std::string_view operation);

// By file of their definitions. Each returns nullptr for an operator of another file.
WriteOperator elementwise_operator(std::string_view operation);   ///< elementwise_operators.cpp
WriteOperator quantisation_operator(std::string_view operation);  ///< quantisation_operators.cpp
WriteOperator layer_operator(std::string_view operation);         ///< layer_operators.cpp
WriteOperator shape_operator(std::string_view operation);         ///< shape_operators.cpp
WriteOperator window_operator(std::string_view operation);        ///< window_operators.cpp
WriteOperator row_operator(std::string_view operation);           ///< row_operators.cpp

/** Appends the steps of a node with its epilogue. NotFound names the operator and the node. */
Status write_node(ModelSteps& steps, const graph::Node& node);

/**
 * Appends one loop over a layer's result that applies the epilogue, from step `first` on, and before it the
 * operator's own bias. @param from the result of the sums @param to may be the same memory
 */
Status write_epilogue(ModelSteps& steps, const graph::Node& node, std::size_t first, const ValueForm& from,
                      const ValueForm& to);

/** Returns true if write_epilogue() has something to do. */
bool needs_epilogue(const graph::Node& node, std::size_t first);

/**
 * Returns the layout in which an operator writes its result element by element: that of an operand of the
 * result's shape, preferably one in channel blocks.
 */
Result<loop_nest::Layout> layout_of_result(ModelSteps& steps, const graph::Node& node,
                                           const graph::Shape& shape);

/** Returns an operand in the layout of the result, or, if it is broadcast, in one that nests with any. */
Result<LoopOperand> operand_for(ModelSteps& steps, std::size_t value, const loop_nest::Layout& layout);

/** Returns "Conv \"conv1\"" for comments and messages. */
std::string about_node(const graph::Node& node);

/** Returns an error that says why the library cannot compute a node. */
std::unexpected<Error> unsupported(const graph::Node& node, std::string_view why);

/** Refuses a node if one of its first inputs is not of f32, as functions of the library require. */
Status check_floats(const ModelSteps& steps, const graph::Node& node, std::size_t inputs);

/** Returns a number as a C constant of type float with its full precision. */
base::CSourceText float_text(double number);

/** Returns an axis as a number from 0 on. */
std::size_t axis_of(std::int64_t axis, std::size_t rank);

/** Returns the integers of a constant input; InvalidArgument if the input is computed. */
Result<std::vector<std::int64_t>> constant_input(const ModelSteps& steps, const graph::Node& node,
                                                 std::size_t input);

/** Returns true if the node has the input. */
inline bool has_input(const graph::Node& node, std::size_t input) {
  return input < node.own_input_count() && node.inputs[input] != graph::absent;
}

}  // namespace kernelscape::exchange
