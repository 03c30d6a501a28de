#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/**
 * The domain of the nodes that flatten_graph() puts between a body and what is around it:
 * - Carried(initial) gives a state that a body reads; its attribute "result" names the body's next state.
 * - Element(sequence) gives what a Scan's body reads of a sequence: one element along its attribute "axis".
 * - Input() gives what the body of another operator reads, of which nothing is known.
 */
constexpr std::string_view body_domain = "kernelscape.body";

/** Attributes of an If, Loop or Scan in a flat graph. Its inputs end with the results of its bodies. */
constexpr std::string_view first_result_attribute = "first_result";  ///< the place of the first result
constexpr std::string_view then_results_attribute =
    "then_results";                                          ///< of an If: how many its then_branch has
constexpr std::string_view states_attribute = "states";      ///< how many results are states
constexpr std::string_view length_attribute = "length";      ///< of a Loop: iterations; 0: unknown
constexpr std::string_view sequence_attribute = "sequence";  ///< of a Scan: the place of its first sequence
constexpr std::string_view axis_attribute = "axis";          ///< of a Scan: the axis of that sequence
constexpr std::string_view result_axes_attribute = "result_axes";  ///< of a Scan: one for each stacked result

/** A graph of an operator's attribute: a branch, or what a loop repeats. */
struct NodeBody {
  std::string text;           ///< "then_branch of y (If)"
  int around = -1;            ///< the body in which the operator stands; -1: the model's graph
  bool branch = false;        ///< runs only if a condition holds
  std::int64_t times = 0;     ///< how often it runs at most; 0: not constant
  std::string trips = {};     ///< of a Loop's body: the tensor that says how often it runs at most
  std::string sequence = {};  ///< of a Scan's body, which runs as often as this tensor is long
  std::int64_t axis = 0;      ///< along this axis
};

/** Which nodes of a flat graph come from bodies. */
struct FlatGraph {
  std::vector<NodeBody> bodies;
  std::map<std::string, int> body_of;  ///< by a node's first output; nodes of the model's graph have none
};

/**
 * Makes one graph of a model: calls of its functions become the functions' nodes, and the nodes of branches
 * and loops stand beside the If, Loop or Scan that has them, under names of their own. If a condition is
 * constant, the other branch is left out. The model's functions are gone afterwards.
 *
 * InvalidArgument if a function calls itself, or if functions unfold to more than 200,000 operators.
 */
Result<FlatGraph> flatten_graph(onnx::ModelProto& model);

}  // namespace kernelscape
