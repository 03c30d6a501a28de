#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::onnx_reader {

/**
 * The domain of the nodes that flatten_graph() inserts between a body and the graph around it:
 * - Carried(initial) gives a state that a body reads; its attribute "result" names the body's next state.
 * - Element(sequence) gives the element of a sequence that a Scan's body reads, along its attribute "axis".
 * - Input() gives an unknown input of the body of another operator.
 */
constexpr std::string_view body_domain = "kernelscape.body";

/** Attributes of an If, Loop or Scan in a flat graph. The results of its bodies are its last inputs. */
constexpr std::string_view first_result_attribute = "first_result";  ///< the index of the first body result
constexpr std::string_view then_results_attribute = "then_results";  ///< of an If: number of results of its
                                                                     ///< then_branch
constexpr std::string_view states_attribute = "states";              ///< number of results that are states
constexpr std::string_view length_attribute = "length";              ///< of a Loop: iterations; 0: unknown
constexpr std::string_view sequence_attribute = "sequence";  ///< of a Scan: the index of its first sequence
constexpr std::string_view axis_attribute = "axis";          ///< of a Scan: the axis of the first sequence
constexpr std::string_view result_axes_attribute = "result_axes";  ///< of a Scan: an axis for each stacked
                                                                   ///< result

/** A graph in an attribute of an operator: a branch, or the body of a loop. */
struct NodeBody {
  std::string text;           ///< "then_branch of y (If)"
  int around = -1;            ///< the body that contains the operator; -1: the model's graph
  bool branch = false;        ///< is executed only if a condition holds
  std::int64_t times = 0;     ///< maximum number of executions; 0: not constant
  std::string trips = {};     ///< of a Loop's body: the tensor with the maximum number of executions
  std::string sequence = {};  ///< of a Scan's body: the tensor whose length is the number of executions
  std::int64_t axis = 0;      ///< axis of the sequence
};

/** The nodes of a flat graph that come from bodies. */
struct FlatGraph {
  std::vector<NodeBody> bodies;
  std::map<std::string, int> body_of;  ///< by a node's first output; nodes of the model's graph are missing
};

/**
 * Makes one graph from a model: calls of its functions are replaced by the functions' nodes, and the nodes of
 * branches and loops are inserted beside the If, Loop or Scan that contains them, under unique names. If a
 * condition is constant, the other branch is omitted. The model's functions are removed. Returns
 * InvalidArgument if a function calls itself, or if functions expand to more than 200,000 operators.
 */
Result<FlatGraph> flatten_graph(onnx::ModelProto& model);

}  // namespace kernelscape::onnx_reader
