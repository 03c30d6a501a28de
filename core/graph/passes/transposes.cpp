#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {
namespace {

using Permutation = std::vector<std::int64_t>;

std::size_t index_of(std::int64_t axis) { return static_cast<std::size_t>(axis); }

/** Returns the permutation of a Transpose: axis i of its result is axis perm[i] of its operand. */
Permutation permutation_of(const Rewriter& rewriter, const Node& node) {
  Permutation reversed;
  for (std::size_t i = rewriter.value(node.inputs[0]).shape.size(); i-- > 0;)
    reversed.push_back(static_cast<std::int64_t>(i));
  return integers_attribute(node, "perm", std::move(reversed));
}

Permutation inverse_of(const Permutation& permutation) {
  Permutation inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[index_of(permutation[i])] = static_cast<std::int64_t>(i);
  return inverse;
}

Node transpose_node(std::string name, std::size_t input, std::size_t output, const Permutation& permutation) {
  return make_node(std::move(name), "Transpose", {input}, {output}, {{"perm", permutation}});
}

/** Makes Transpose(Transpose(x)) one Transpose, or x. */
bool merge_transposes(Rewriter& rewriter, std::size_t number) {
  const Node node = rewriter.node(number);
  if (node.operation != "Transpose" || !node.epilogue.empty()) return false;
  Permutation permutation = permutation_of(rewriter, node);
  std::size_t source = node.inputs[0];
  const std::size_t before = rewriter.producer(source, "Transpose");
  if (before != absent) {
    const Permutation first = permutation_of(rewriter, rewriter.node(before));
    for (std::int64_t& axis : permutation) axis = first[index_of(axis)];
    source = rewriter.node(before).inputs[0];
  }
  if (std::ranges::is_sorted(permutation)) {
    if (rewriter.bypass(number, source)) return true;
    rewriter.replace(number, make_node(node.name, "Identity", {source}, node.outputs));
    return true;
  }
  if (before == absent) return false;
  rewriter.replace(number, transpose_node(node.name, source, node.outputs[0], permutation));
  return true;
}

/** How the operator of a node changes if its operands are not transposed. */
struct Untransposed {
  Node node;
  std::vector<std::size_t> transposes;  ///< nodes that fall away
  Permutation permutation;              ///< of a Transpose after the operator
};

bool maps_each_element(const Node& node) {
  static constexpr std::array<std::string_view, 16> operations{
      "Relu", "Clip", "LeakyRelu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh",    "Erf",
      "Gelu", "Exp",  "Sqrt",      "Neg",     "Abs",         "Cast",      "Softmax", "Reciprocal"};
  return std::ranges::find(operations, node.operation) != operations.end();
}

bool combines_elements(const Node& node) {
  static constexpr std::array<std::string_view, 7> operations{"Add", "Sub", "Mul", "Div",
                                                              "Pow", "Max", "Min"};
  return node.inputs.size() == 2 && std::ranges::find(operations, node.operation) != operations.end();
}

/** Notes a Transpose whose result is read only here, and reads its operand; false for other values. */
bool take_transpose(const Rewriter& rewriter, std::size_t& input, Untransposed& result) {
  const std::size_t transpose = rewriter.producer(input, "Transpose");
  if (transpose == absent || !rewriter.has_one_reader(input)) return false;
  const Permutation permutation = permutation_of(rewriter, rewriter.node(transpose));
  if (!result.transposes.empty() && permutation != result.permutation) return false;
  result.permutation = permutation;
  result.transposes.push_back(transpose);
  input = rewriter.node(transpose).inputs[0];
  return true;
}

/** Returns a constant, extended to the rank of a permutation, whose transposed elements are those of a
 * constant. */
Result<std::size_t> untransposed_constant(Rewriter& rewriter, std::size_t constant,
                                          const Permutation& permutation) {
  const Value value = rewriter.value(constant);
  if (element_count(value.shape) == 1 && value.shape.size() <= permutation.size()) return constant;
  Shape shape(permutation.size() - value.shape.size(), 1);
  shape.insert(shape.end(), value.shape.begin(), value.shape.end());
  const std::size_t extended = rewriter.add_constant(value.name, value.type, std::move(shape), value.data);
  return add_transposed(rewriter, extended, inverse_of(permutation));
}

/** Operators of one operand, and of two of which at least one is transposed and the other a constant or
 * transposed alike. */
Result<std::optional<Untransposed>> untranspose_elementwise(Rewriter& rewriter, const Node& node) {
  const std::optional<Untransposed> none;
  Untransposed result{.node = node, .transposes = {}, .permutation = {}};
  std::vector<std::size_t*> constants;
  const std::size_t operands = maps_each_element(node) ? 1 : 2;
  for (std::size_t i = operands; i < node.inputs.size(); ++i)  // the bounds of a Clip
    if (node.inputs[i] != absent && !rewriter.is_constant(node.inputs[i])) return none;
  for (std::size_t i = 0; i < operands; ++i) {
    std::size_t& input = result.node.inputs[i];
    if (rewriter.is_constant(input)) {
      constants.push_back(&input);
    } else if (rewriter.value(input).shape != rewriter.value(node.outputs[0]).shape ||
               !take_transpose(rewriter, input, result)) {
      return none;
    }
  }
  if (result.transposes.empty()) return none;
  for (std::size_t* constant : constants) {
    if (rewriter.value(*constant).shape.size() > result.permutation.size()) return none;
    *constant = TRY(untransposed_constant(rewriter, *constant, result.permutation));
  }
  if (node.operation == "Softmax") {
    const std::vector<std::int64_t> axis{integer_attribute(node, "axis", -1)};
    result.node.attributes["axis"] =
        result.permutation[positive_axes(axis, result.permutation.size()).front()];
  }
  return std::optional(std::move(result));
}

std::optional<Untransposed> untranspose_concat(const Rewriter& rewriter, const Node& node) {
  Untransposed result{.node = node, .transposes = {}, .permutation = {}};
  for (std::size_t& input : result.node.inputs)
    if (input == absent || !take_transpose(rewriter, input, result)) return std::nullopt;
  const std::vector<std::int64_t> axis{integer_attribute(node, "axis", 0)};
  result.node.attributes["axis"] = result.permutation[positive_axes(axis, result.permutation.size()).front()];
  return result;
}

/** A Pad of all axes by constants. */
Result<std::optional<Untransposed>> untranspose_pad(Rewriter& rewriter, const Node& node) {
  const std::optional<Untransposed> none;
  if (node.inputs.size() > 3 && node.inputs[3] != absent) return none;
  if (node.inputs.size() > 2 && node.inputs[2] != absent && !rewriter.is_constant(node.inputs[2]))
    return none;
  const auto pads = TRY(integers_of(rewriter, node, "pads", 1));
  Untransposed result{.node = node, .transposes = {}, .permutation = {}};
  if (!pads || !take_transpose(rewriter, result.node.inputs[0], result)) return none;
  const std::size_t rank = result.permutation.size();
  if (pads->size() != 2 * rank || node.inputs.size() < 2) return none;
  std::vector<std::int64_t> moved(2 * rank);
  for (std::size_t i = 0; i < rank; ++i) {
    moved[index_of(result.permutation[i])] = (*pads)[i];
    moved[rank + index_of(result.permutation[i])] = (*pads)[rank + i];
  }
  result.node.inputs[1] = add_integers(rewriter, node.name + " pads", moved);
  return std::optional(std::move(result));
}

/** Returns the shape that a tensor has before a Transpose by a permutation gives a shape. */
Shape shape_before(const Shape& shape, const Permutation& permutation) {
  Shape before(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) before[index_of(permutation[i])] = shape[i];
  return before;
}

/** Moves the Transposes of all operands of a node to its result. */
Result<bool> move_transposes_down(Rewriter& rewriter, std::size_t number) {
  const Node node = rewriter.node(number);
  if (!node.epilogue.empty() || node.outputs.size() != 1) return false;
  std::optional<Untransposed> moved;
  if (maps_each_element(node) || combines_elements(node))
    moved = TRY(untranspose_elementwise(rewriter, node));
  if (node.operation == "Concat") moved = untranspose_concat(rewriter, node);
  if (node.operation == "Pad") moved = TRY(untranspose_pad(rewriter, node));
  if (!moved) return false;
  const Value result = rewriter.value(node.outputs[0]);
  const std::size_t inner = rewriter.add_value(result.name + " untransposed", result.type,
                                               shape_before(result.shape, moved->permutation));
  moved->node.outputs = {inner};
  // The operator takes the place of the last Transpose, where all its operands are known.
  const std::size_t last = std::ranges::max(moved->transposes);
  const std::string name = rewriter.node(last).name;
  rewriter.replace(number, transpose_node(name, inner, node.outputs[0], moved->permutation));
  rewriter.replace(last, std::move(moved->node));
  rewriter.swap_origins(number, last);
  for (const std::size_t transpose : moved->transposes)
    if (transpose != last) rewriter.remove(transpose, number);
  return true;
}

/** Lets a reduction read what a Transpose reads, if the order of the axes that stay is the same. */
Result<bool> reduce_untransposed(Rewriter& rewriter, std::size_t number) {
  static constexpr std::array<std::string_view, 3> operations{"ReduceMean", "ReduceSum", "ReduceMax"};
  Node node = rewriter.node(number);
  if (std::ranges::find(operations, node.operation) == operations.end() || !node.epilogue.empty())
    return false;
  const std::size_t transpose = rewriter.producer(node.inputs[0], "Transpose");
  const auto axes = TRY(integers_of(rewriter, node, "axes", 1));
  if (transpose == absent || !axes || axes->empty() || integer_attribute(node, "keepdims", 1) != 0)
    return false;
  const Permutation permutation = permutation_of(rewriter, rewriter.node(transpose));
  Permutation kept = permutation;
  std::vector<std::int64_t> reduced;
  for (const std::size_t axis : positive_axes(*axes, permutation.size())) {
    reduced.push_back(permutation[axis]);
    std::erase(kept, permutation[axis]);
  }
  if (!std::ranges::is_sorted(kept)) return false;
  std::ranges::sort(reduced);
  node.inputs[0] = rewriter.node(transpose).inputs[0];
  if (node.inputs.size() > 1 && node.inputs[1] != absent) {
    node.inputs[1] = add_integers(rewriter, node.name + " axes", reduced);
  } else {
    node.attributes["axes"] = reduced;
  }
  rewriter.replace(number, std::move(node));
  return true;
}

/** Makes a transposed operand of a matrix product a flag of Gemm. */
bool fold_into_product(Rewriter& rewriter, std::size_t number) {
  Node node = rewriter.node(number);
  if ((node.operation != "MatMul" && node.operation != "Gemm") || !node.epilogue.empty()) return false;
  if (!is_floating(rewriter.value(node.outputs[0]).type)) return false;
  bool changed = false;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (rewriter.value(node.inputs[i]).shape.size() != 2) return false;
    const std::size_t transpose = rewriter.producer(node.inputs[i], "Transpose");
    if (transpose == absent) continue;
    if (std::ranges::is_sorted(permutation_of(rewriter, rewriter.node(transpose)))) continue;
    const char* flag = i == 0 ? "transA" : "transB";
    node.attributes[flag] = std::int64_t{integer_attribute(node, flag, 0) == 0 ? 1 : 0};
    node.inputs[i] = rewriter.node(transpose).inputs[0];
    changed = true;
  }
  if (!changed) return false;
  node.operation = "Gemm";
  rewriter.replace(number, std::move(node));
  return true;
}

}  // namespace

Status remove_transposes(Rewriter& rewriter) {
  for (std::size_t i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.alive(i) || merge_transposes(rewriter, i)) continue;
    if (TRY(move_transposes_down(rewriter, i)) || TRY(reduce_untransposed(rewriter, i))) continue;
    fold_into_product(rewriter, i);
  }
  return {};
}

}  // namespace kernelscape::graph::passes
