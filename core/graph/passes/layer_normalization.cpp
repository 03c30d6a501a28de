#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"
#include "core/graph/passes/reduction.h"

namespace kernelscape::graph::passes {
namespace {

/** What a sequence of operators normalises, and how. */
struct Normalization {
  std::size_t operand = absent;
  std::size_t first_axis = 0;
  double epsilon = 0;
  std::size_t scale = absent;
  std::size_t shift = absent;
};

/** A layer normalization, or nullopt if the operators compute something else. */
using MaybeNormalization = Result<std::optional<Normalization>>;

/** Returns the operands of a binary operator in both orders. */
std::array<std::pair<std::size_t, std::size_t>, 2> both_orders(const Node& node) {
  return {{{node.inputs[0], node.inputs[1]}, {node.inputs[1], node.inputs[0]}}};
}

/** Returns the operand of a square: Pow(x, 2) or Mul(x, x); `absent` for other values. */
Result<std::size_t> squared_operand(const Rewriter& rewriter, std::size_t value) {
  if (const std::size_t power = rewriter.producer(value, "Pow"); power != absent) {
    const Node& node = rewriter.node(power);
    return TRY(scalar_constant(rewriter, node.inputs[1])) == 2.0 ? node.inputs[0] : absent;
  }
  const std::size_t product = rewriter.producer(value, "Mul");
  if (product == absent) return absent;
  const Node& node = rewriter.node(product);
  return node.inputs[0] == node.inputs[1] ? node.inputs[0] : absent;
}

/** Returns the operand of a square root: Sqrt(x) or Pow(x, 0.5); `absent` for other values. */
Result<std::size_t> operand_of_root(const Rewriter& rewriter, std::size_t value) {
  if (const std::size_t root = rewriter.producer(value, "Sqrt"); root != absent)
    return rewriter.node(root).inputs[0];
  const std::size_t power = rewriter.producer(value, "Pow");
  if (power == absent) return absent;
  const Node& node = rewriter.node(power);
  return TRY(scalar_constant(rewriter, node.inputs[1])) == 0.5 ? node.inputs[0] : absent;
}

/** Splits Div(d, r), Mul(d, Reciprocal(r)) and Mul(d, Div(1, r)) into all possible d and r. */
Result<std::vector<std::pair<std::size_t, std::size_t>>> quotients(const Rewriter& rewriter,
                                                                   const Node& node) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  if (!node.epilogue.empty() || node.inputs.size() != 2) return found;
  if (node.operation == "Div") found.emplace_back(node.inputs[0], node.inputs[1]);
  if (node.operation != "Mul") return found;
  for (const auto& [left, right] : both_orders(node)) {
    if (const std::size_t inverse = rewriter.producer(right, "Reciprocal"); inverse != absent)
      found.emplace_back(left, rewriter.node(inverse).inputs[0]);
    const std::size_t inverse = rewriter.producer(right, "Div");
    if (inverse == absent) continue;
    if (TRY(scalar_constant(rewriter, rewriter.node(inverse).inputs[0])) == 1.0)
      found.emplace_back(left, rewriter.node(inverse).inputs[1]);
  }
  return found;
}

/** Matches d = x - mean(x) and root = sqrt(mean(d^2) + epsilon). */
MaybeNormalization match_quotient(const Rewriter& rewriter, std::size_t difference, std::size_t root) {
  const std::optional<Normalization> none;
  const std::size_t subtraction = rewriter.producer(difference, "Sub");
  const std::size_t sum = rewriter.producer(TRY(operand_of_root(rewriter, root)), "Add");
  if (subtraction == absent || sum == absent) return none;
  Normalization result{.operand = rewriter.node(subtraction).inputs[0]};
  const auto mean = TRY(match_reduction(rewriter, rewriter.node(subtraction).inputs[1], "ReduceMean"));
  const std::size_t rank = rewriter.value(result.operand).shape.size();
  if (!mean || mean->operand != result.operand || !mean->keeps_axes || mean->axes.empty()) return none;
  result.first_axis = mean->axes.front();
  if (mean->axes.back() + 1 != rank || rank - result.first_axis != mean->axes.size()) return none;
  for (const auto& [left, right] : both_orders(rewriter.node(sum))) {
    const std::optional<double> epsilon = TRY(scalar_constant(rewriter, right));
    const auto variance = TRY(match_reduction(rewriter, left, "ReduceMean"));
    if (!epsilon || !variance || variance->axes != mean->axes || !variance->keeps_axes) continue;
    if (TRY(squared_operand(rewriter, variance->operand)) != difference) continue;
    result.epsilon = *epsilon;
    return std::optional(result);
  }
  return none;
}

/**
 * Returns the only reader of a node's result if it is Mul or Add with an operand over the normalised axes;
 * notes this operand. `absent` otherwise.
 */
std::size_t reader_with_vector(const Rewriter& rewriter, std::size_t node, std::string_view operation,
                               const Shape& normalised, std::size_t& operand) {
  const std::size_t result = rewriter.node(node).outputs[0];
  if (!rewriter.has_one_reader(result)) return absent;
  const std::size_t reader = rewriter.readers(result).front();
  const Node& next = rewriter.node(reader);
  if (next.operation != operation || !next.epilogue.empty()) return absent;
  const std::size_t other = next.inputs[0] == result ? next.inputs[1] : next.inputs[0];
  if (rewriter.value(other).shape != normalised || rewriter.value(other).type != rewriter.value(result).type)
    return absent;
  operand = other;
  return reader;
}

/** Replaces the last node of the sequence by a LayerNormalization. */
void write_normalization(Rewriter& rewriter, std::size_t quotient, Normalization match) {
  const Value operand = rewriter.value(match.operand);
  const Shape normalised(operand.shape.begin() + static_cast<std::ptrdiff_t>(match.first_axis),
                         operand.shape.end());
  std::size_t last = quotient;
  std::vector<std::size_t> merged;
  if (const std::size_t product = reader_with_vector(rewriter, last, "Mul", normalised, match.scale);
      product != absent) {
    merged.push_back(std::exchange(last, product));
    const std::size_t sum = reader_with_vector(rewriter, last, "Add", normalised, match.shift);
    if (sum != absent) merged.push_back(std::exchange(last, sum));
  } else {
    const std::vector<double> ones(static_cast<std::size_t>(element_count(normalised)), 1.0);
    match.scale = rewriter.add_constant(operand.name + " scale of 1", operand.type, normalised,
                                        encode(operand.type, ones));
  }
  Node node = make_node(rewriter.node(last).name, "LayerNormalization", {match.operand, match.scale},
                        rewriter.node(last).outputs);
  if (match.shift != absent) node.inputs.push_back(match.shift);
  node.attributes["axis"] = static_cast<std::int64_t>(match.first_axis);
  node.attributes["epsilon"] = match.epsilon;
  const std::vector<std::size_t> operands = rewriter.node(quotient).inputs;
  rewriter.replace(last, std::move(node));
  for (const std::size_t number : merged) rewriter.remove(number, last);
  rewriter.remove_unread(operands, last);
}

}  // namespace

Status recognise_layer_normalization(Rewriter& rewriter) {
  for (std::size_t i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.alive(i)) continue;
    for (const auto& [difference, root] : TRY(quotients(rewriter, rewriter.node(i)))) {
      const std::optional<Normalization> match = TRY(match_quotient(rewriter, difference, root));
      if (!match || !is_floating(rewriter.value(match->operand).type)) continue;
      write_normalization(rewriter, i, *match);
      break;
    }
  }
  return {};
}

}  // namespace kernelscape::graph::passes
