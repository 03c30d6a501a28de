#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {
namespace {

constexpr std::int64_t max_compared_bytes = 4096;

/**
 * Returns for each value the first constant with the same type, shape and elements, or the value itself. Only
 * small constants are compared by their elements.
 */
Result<std::vector<std::size_t>> first_equal_constants(const Rewriter& rewriter) {
  std::vector<std::size_t> first(rewriter.value_count());
  std::map<std::tuple<ElementType, Shape, std::vector<std::byte>>, std::size_t> seen;
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = i;
    const Value& value = rewriter.value(i);
    if (!value.constant || rewriter.readers(i).empty()) continue;
    if (element_count(value.shape) * bytes_of(value.type) > max_compared_bytes) continue;
    const auto bytes = TRY(constant_bytes(value));
    first[i] = seen.try_emplace({value.type, value.shape, *bytes}, i).first->second;
  }
  return first;
}

using Expression =
    std::tuple<std::string, std::vector<std::size_t>, std::map<std::string, Attribute>, std::size_t>;

/** Makes all who read the results of a node read those of an equal one, unless an output of the graph forbids
 * it. */
void use_results(Rewriter& rewriter, std::size_t number, std::size_t equal) {
  const std::vector<std::size_t> from = rewriter.node(number).outputs;
  const std::vector<std::size_t> to = rewriter.node(equal).outputs;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == absent || to[i] == absent) continue;
    const Value& value = rewriter.value(from[i]);
    if (value.shape != rewriter.value(to[i]).shape || value.type != rewriter.value(to[i]).type) return;
  }
  if (from.size() == 1) {
    rewriter.bypass(number, to.front());
    return;
  }
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != absent && (to[i] == absent || rewriter.is_output(from[i]))) return;
  rewriter.remove(number);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == absent) continue;
    for (const std::size_t reader : std::vector(rewriter.readers(from[i]))) {
      Node changed = rewriter.node(reader);
      std::ranges::replace(changed.inputs, from[i], to[i]);
      rewriter.replace(reader, std::move(changed));
    }
  }
}

/** Returns true if an attribute is NaN, which has no place in an order. */
bool has_nan(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const auto& attribute) {
    if (const auto* number = std::get_if<double>(&attribute.second)) return std::isnan(*number);
    const auto* numbers = std::get_if<std::vector<double>>(&attribute.second);
    return numbers != nullptr && std::ranges::any_of(*numbers, [](double x) { return std::isnan(x); });
  });
}

}  // namespace

Status merge_common_expressions(Rewriter& rewriter) {
  const std::vector<std::size_t> constants = TRY(first_equal_constants(rewriter));
  std::map<Expression, std::size_t> seen;
  for (std::size_t i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.alive(i) || !rewriter.node(i).epilogue.empty() || has_nan(rewriter.node(i))) continue;
    std::vector<std::size_t> inputs = rewriter.node(i).inputs;
    for (std::size_t& input : inputs)
      if (input != absent) input = constants[input];
    const Node& node = rewriter.node(i);
    // Casts to several types, say, differ only by an attribute; results of several counts by their number.
    const auto [found, is_new] =
        seen.try_emplace({node.operation, std::move(inputs), node.attributes, node.outputs.size()}, i);
    if (!is_new) use_results(rewriter, i, found->second);
  }
  return {};
}

}  // namespace kernelscape::graph::passes
