#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/graph/interpreter.h"
#include "core/graph/operators/conversion.h"
#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {
namespace {

constexpr std::int64_t max_folded_bytes = std::int64_t{64} << 20;
/// Masks and tables of positions are made from a few numbers, whatever they grow to.
constexpr std::int64_t always_folded_bytes = std::int64_t{1} << 20;
constexpr std::int64_t max_growth = 4;
/// Doubles hold integers up to here exactly; the next one is rounded to this one.
constexpr double max_exact_integer = 9007199254740992.0;

std::int64_t bytes_of_value(const Value& value) { return element_count(value.shape) * bytes_of(value.type); }

bool may_fold(const Rewriter& rewriter, const Node& node) {
  if (node.operation == "DequantizeLinear" || !node.epilogue.empty()) return false;
  std::int64_t operand_bytes = 0;
  for (const std::size_t input : node.inputs) {
    if (input == absent) continue;
    if (!rewriter.is_constant(input)) return false;
    operand_bytes += bytes_of_value(rewriter.value(input));
  }
  std::int64_t result_bytes = 0;
  for (const std::size_t output : node.outputs)
    if (output != absent) result_bytes += bytes_of_value(rewriter.value(output));
  if (result_bytes <= always_folded_bytes) return operand_bytes <= max_folded_bytes;
  return result_bytes <= max_folded_bytes && result_bytes <= max_growth * operand_bytes;
}

/**
 * Returns true for operators that return or compare their operands' elements: INT64_MAX, which stands for "to
 * the end", stays what it is although its double is larger by one.
 */
bool keeps_limits(const Node& node) {
  static constexpr std::array<std::string_view, 22> operations{
      "Concat", "Expand",    "Gather",      "GatherElements", "GatherND",       "Slice",    "Split",   "Tile",
      "Where",  "Max",       "Min",         "Clip",           "Equal",          "Less",     "Greater", "Pad",
      "Size",   "Transpose", "LessOrEqual", "ReduceMax",      "GreaterOrEqual", "ReduceMin"};
  return std::ranges::find(operations, node.operation) != operations.end();
}

/**
 * Returns true if evaluate() reads all integers of a node's constant operands exactly, and rounds no sum of
 * them and no product of two: its numbers are doubles.
 */
Result<bool> has_exact_operands(const Rewriter& rewriter, const Node& node) {
  double sum = 0;
  double product = 1;
  bool has_limits = false;
  for (const std::size_t input : node.inputs) {
    if (input == absent || !is_integer(rewriter.value(input).type)) continue;
    const bool is_signed = rewriter.value(input).type != ElementType::U64;
    double largest = 0;
    for (const std::int64_t number : TRY(constant_integers(rewriter.value(input)))) {
      const bool is_limit = number == std::numeric_limits<std::int64_t>::max() ||
                            number == std::numeric_limits<std::int64_t>::min();
      const double magnitude = std::abs(static_cast<double>(number));
      // Of an unsigned type, what is negative here is beyond the largest signed number.
      if (is_limit ? !is_signed : magnitude >= max_exact_integer || (!is_signed && number < 0)) return false;
      has_limits = has_limits || is_limit;
      largest = std::max(largest, magnitude);
      sum += magnitude;
    }
    product *= largest;
  }
  if (keeps_limits(node)) return true;
  return !has_limits && sum < max_exact_integer && (node.operation != "Mul" || product < max_exact_integer);
}

/** Returns false if a 64-bit integer may have been rounded, or lies beyond its type's range. */
bool is_exact(const Node& node, const Tensor& tensor) {
  if (tensor.type != ElementType::I64 && tensor.type != ElementType::U64) return true;
  // A difference of unsigned numbers that is negative became 0.
  if (tensor.type == ElementType::U64 && !keeps_limits(node)) return false;
  return std::ranges::all_of(tensor.elements, [&](double element) {
    return std::abs(element) <= max_exact_integer || (std::abs(element) == 0x1p63 && keeps_limits(node));
  });
}

/** Makes all who read a value read a constant; an output of the graph becomes a copy of the constant. */
void use_constant(Rewriter& rewriter, std::size_t value, std::size_t constant, const Node& origin,
                  std::size_t origin_number) {
  for (const std::size_t reader : std::vector(rewriter.readers(value))) {
    Node changed = rewriter.node(reader);
    std::ranges::replace(changed.inputs, value, constant);
    rewriter.replace(reader, std::move(changed));
  }
  if (rewriter.is_output(value))
    rewriter.add(make_node(origin.name, "Identity", {constant}, {value}), origin_number);
}

/** Replaces a node by constants, one for each output. */
void replace_by_constants(Rewriter& rewriter, std::size_t number, const std::vector<std::size_t>& constants) {
  const Node node = rewriter.node(number);
  rewriter.remove(number);
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i] != absent) use_constant(rewriter, node.outputs[i], constants[i], node, number);
}

/** Folds a node whose result has its operand's elements in their order, whatever their size. */
bool fold_view(Rewriter& rewriter, std::size_t number) {
  const Node& node = rewriter.node(number);
  static constexpr std::array views{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
  if (std::ranges::find(views, node.operation) == views.end() || !node.epilogue.empty()) return false;
  if (node.inputs.empty() || !rewriter.is_constant(node.inputs[0]) || node.outputs.size() != 1) return false;
  if (node.operation == "Identity") {
    if (rewriter.is_output(node.outputs[0])) return false;
    return rewriter.bypass(number, node.inputs[0]);
  }
  const Value& operand = rewriter.value(node.inputs[0]);
  const ConstantData data = operand.data;
  const Value result = rewriter.value(node.outputs[0]);
  replace_by_constants(rewriter, number,
                       {rewriter.add_constant(result.name, result.type, result.shape, data)});
  return true;
}

/** Folds a Transpose whatever its operand's size: weights of a multiplication. */
Result<bool> fold_transpose(Rewriter& rewriter, std::size_t number) {
  const Node& node = rewriter.node(number);
  if (node.operation != "Transpose" || !node.epilogue.empty() || !rewriter.is_constant(node.inputs[0]))
    return false;
  std::vector<std::int64_t> permutation;
  for (std::size_t i = rewriter.value(node.inputs[0]).shape.size(); i-- > 0;)
    permutation.push_back(static_cast<std::int64_t>(i));
  permutation = integers_attribute(node, "perm", permutation);
  const std::size_t constant = TRY(add_transposed(rewriter, node.inputs[0], permutation));
  replace_by_constants(rewriter, number, {constant});
  return true;
}

/** Folds a Shape, whose operand need not be a constant. */
bool fold_shape(Rewriter& rewriter, std::size_t number) {
  const Node& node = rewriter.node(number);
  if (node.operation != "Shape" || node.outputs.size() != 1 || node.inputs.empty()) return false;
  const Shape& shape = rewriter.value(node.inputs[0]).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto bound = [&](std::string_view name, std::int64_t otherwise) {
    const std::int64_t at = integer_attribute(node, name, otherwise);
    return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank);
  };
  const std::int64_t start = bound("start", 0);
  const std::int64_t end = std::max(bound("end", rank), start);
  const Shape part(shape.begin() + start, shape.begin() + end);
  if (rewriter.value(node.outputs[0]).shape != Shape{std::ssize(part)}) return false;
  const std::size_t constant = add_integers(rewriter, rewriter.value(node.outputs[0]).name, part);
  replace_by_constants(rewriter, number, {constant});
  return true;
}

Status fold_by_evaluation(Rewriter& rewriter, std::size_t number) {
  const Node& node = rewriter.node(number);
  if (!may_fold(rewriter, node)) return {};
  if (node.operation == "Identity") return {};  // an output of the graph that is a constant
  if (!TRY(has_exact_operands(rewriter, node))) return {};
  std::vector<Tensor> operands;
  operands.reserve(node.inputs.size());
  std::vector<const Tensor*> inputs;
  for (const std::size_t input : node.inputs) {
    if (input != absent) operands.push_back(TRY(constant_tensor(rewriter.value(input))));
    inputs.push_back(input == absent ? nullptr : &operands.back());
  }
  // A node that cannot be evaluated stays: running the graph gives its error.
  const Result<std::vector<Tensor>> results = evaluate(node, inputs);
  if (!results || results->size() < node.outputs.size()) return {};
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == absent) continue;
    const Value& value = rewriter.value(node.outputs[i]);
    if ((*results)[i].shape != value.shape || !is_exact(node, (*results)[i])) return {};
  }
  std::vector<std::size_t> constants(node.outputs.size(), absent);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (node.outputs[i] == absent) continue;
    const Value value = rewriter.value(node.outputs[i]);
    constants[i] = rewriter.add_constant(value.name, value.type, value.shape,
                                         encode(value.type, (*results)[i].elements));
  }
  replace_by_constants(rewriter, number, constants);
  return {};
}

}  // namespace

Status fold_constants(Rewriter& rewriter) {
  const std::size_t count = rewriter.node_count();  // nodes that are added copy constants to outputs
  for (std::size_t i = 0; i < count; ++i) {
    if (!rewriter.alive(i) || fold_shape(rewriter, i) || fold_view(rewriter, i)) continue;
    if (TRY(fold_transpose(rewriter, i))) continue;
    TRY(fold_by_evaluation(rewriter, i));
  }
  return {};
}

}  // namespace kernelscape::graph::passes
