#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {
namespace {

bool is_one_of(std::string_view operation, std::span<const std::string_view> operations) {
  return std::ranges::find(operations, operation) != operations.end();
}

/** Returns true if all elements of a constant equal a number; constants of more than `max_elements` are not
 * read. */
Result<bool> is_filled_with(const Rewriter& rewriter, std::size_t value, double number) {
  constexpr std::int64_t max_elements = 1 << 16;
  if (!rewriter.is_constant(value) || element_count(rewriter.value(value).shape) > max_elements) return false;
  const std::vector<double> elements = TRY(constant_doubles(rewriter.value(value)));
  return std::ranges::all_of(elements, [&](double element) { return element == number; });
}

/** Returns true for a Dropout that does not drop: its third operand, the training mode, is absent or false.
 */
Result<bool> is_inactive_dropout(const Rewriter& rewriter, const Node& node) {
  if (node.outputs.size() > 1 && node.outputs[1] != absent) return false;
  if (node.inputs.size() < 3 || node.inputs[2] == absent) return true;
  return TRY(is_filled_with(rewriter, node.inputs[2], 0));
}

/** Returns true for an operator whose result is its first operand if both have one shape. */
bool keeps_elements(const Node& node) {
  static constexpr std::array<std::string_view, 7> operations{"Reshape",  "Flatten", "Squeeze", "Unsqueeze",
                                                              "Identity", "Expand",  "Cast"};
  static constexpr std::array<std::string_view, 5> of_one_operand{"Concat", "Sum", "Max", "Min", "Mean"};
  if (node.operation == "Split") return node.outputs.size() == 1;
  if (is_one_of(node.operation, of_one_operand)) return node.inputs.size() == 1;
  return is_one_of(node.operation, operations);
}

Result<bool> has_zeros_only(const Rewriter& rewriter, const Node& node, std::string_view attribute,
                            std::size_t input) {
  const auto integers = TRY(integers_of(rewriter, node, attribute, input));
  return integers && std::ranges::all_of(*integers, [](std::int64_t x) { return x == 0; });
}

/** Returns true for a Slice forwards from the start whose result has its operand's shape. */
Result<bool> is_whole_slice(const Rewriter& rewriter, const Node& node) {
  if (node.inputs.size() > 4) {
    const auto steps = TRY(integers_of(rewriter, node, "steps", 4));
    if (!steps || !std::ranges::all_of(*steps, [](std::int64_t x) { return x > 0; })) return false;
  }
  return true;
}

/** Returns the operand that a node returns; `absent` if it computes something. */
Result<std::size_t> returned_operand(const Rewriter& rewriter, const Node& node) {
  const std::string& operation = node.operation;
  const auto filled = [&](std::size_t position, double number) -> Result<bool> {
    return node.inputs.size() == 2 ? is_filled_with(rewriter, node.inputs[position], number)
                                   : Result<bool>(false);
  };
  if (keeps_elements(node)) return node.inputs[0];
  if (operation == "Dropout" && TRY(is_inactive_dropout(rewriter, node))) return node.inputs[0];
  if (operation == "Pad" && TRY(has_zeros_only(rewriter, node, "pads", 1))) return node.inputs[0];
  if (operation == "Slice" && TRY(is_whole_slice(rewriter, node))) return node.inputs[0];
  if (operation == "Add" && TRY(filled(0, 0))) return node.inputs[1];
  if (operation == "Mul" && TRY(filled(0, 1))) return node.inputs[1];
  if ((operation == "Add" || operation == "Sub") && TRY(filled(1, 0))) return node.inputs[0];
  if ((operation == "Mul" || operation == "Div" || operation == "Pow") && TRY(filled(1, 1)))
    return node.inputs[0];
  return absent;
}

}  // namespace

Status remove_no_operations(Rewriter& rewriter) {
  for (std::size_t i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.alive(i)) continue;
    const Node& node = rewriter.node(i);
    if (!node.epilogue.empty() || node.inputs.empty() || node.outputs.empty()) continue;
    if (node.outputs[0] == absent) continue;
    const std::size_t same = TRY(returned_operand(rewriter, node));
    if (same == absent) continue;
    const Value& operand = rewriter.value(same);
    const Value& result = rewriter.value(node.outputs[0]);
    if (operand.type == result.type && operand.shape == result.shape) rewriter.bypass(i, same);
  }
  return {};
}

}  // namespace kernelscape::graph::passes
