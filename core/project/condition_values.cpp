#include "core/project/condition_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::project {
namespace {

using Node = PythonExpression::Node;

constexpr std::uint64_t max_combinations = 1U << 18;
constexpr std::uint64_t max_computed = 1U << 23;  // parts of a condition, for its tables: about a second
constexpr std::size_t max_table_nodes = 4096;

constexpr std::uint8_t holds_entry = 1;
constexpr std::uint8_t fails_entry = 2;

std::uint64_t nodes_of(const Node& node) {
  std::uint64_t nodes = 1;
  for (const Node& operand : node.operands) nodes += nodes_of(operand);
  return nodes;
}

/** Whether a part has a value wherever it stands, and one that lists are long for. */
bool may_be_folded(Node::Kind kind) {
  using enum Node::Kind;
  switch (kind) {
    case Constant:
    case None:
    case Name:
    case Local:
    case List:
    case Tuple:
    case Set:
    case Spread:
    case Slice:
    case Comprehension:
    case For:
      return false;
    default:
      return true;
  }
}

void add_knobs(const Node& node, const ConditionScope& scope, const ConditionValues& values,
               std::vector<std::uint32_t>& knobs) {
  if (node.kind == Node::Kind::Name)
    if (const auto knob = values.knob_named(node.name); knob && scope.knobs[*knob].count() > 1)
      knobs.push_back(*knob);
  for (const Node& operand : node.operands) add_knobs(operand, scope, values, knobs);
}

}  // namespace

std::vector<std::uint32_t> ConditionValues::knobs_of(const Node& node) const {
  std::vector<std::uint32_t> knobs;
  add_knobs(node, scope_, *this, knobs);
  std::ranges::sort(knobs);
  knobs.erase(std::ranges::unique(knobs).begin(), knobs.end());
  return knobs;
}

std::optional<std::uint32_t> ConditionValues::knob_named(std::string_view name) const {
  const auto found = std::ranges::find(scope_.knobs, name, &space::Knob::name);
  if (found == scope_.knobs.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - scope_.knobs.begin());
}

/** Lists and ranges make parts long; what their number alone asks for is bounded elsewhere, and free. */
void ConditionValues::spend(std::uint64_t steps, std::uint64_t nodes) const {
  constexpr std::uint64_t free_steps = 8;  // of each part
  if (steps > nodes * free_steps) budget_.steps += steps - nodes * free_steps;
}

Result<PythonObject> ConditionValues::constant_value(const Node& node) const {
  if (budget_.spent()) return fail(ErrorCode::InvalidArgument, "the conditions take too many steps");
  space::Configuration first;
  first.indices.resize(scope_.knobs.size());
  std::uint64_t steps = 0;
  Result<PythonObject> value = compute_python(text_, node, names_in(scope_, first), &steps);
  spend(steps, nodes_of(node));
  return value;
}

Result<LoweredTruth> ConditionValues::tabulated(const Node& node) {
  const std::vector<std::uint32_t> knobs = knobs_of(node);
  std::uint64_t combinations = 1;
  std::vector<TableKnob> axes;
  for (const std::uint32_t knob : knobs) {
    axes.push_back({&scope_.knobs[knob], scope_.variables[knob]});
    if (combinations <= max_combinations) combinations *= scope_.knobs[knob].count();
  }
  const std::uint64_t computed = combinations * nodes_of(node);
  if (combinations > max_combinations || computed > max_computed - computed_)
    return too_large(knobs,
                     fmt::format("{}{}", combinations > max_combinations ? "over " : "", combinations));
  computed_ += computed;
  Node folded = node;
  fold_constants(folded);
  const auto table = table_of(folded, knobs, combinations);
  if (!table) return too_large(knobs, fmt::format("{}", combinations));
  auto holds = table_expression(axes, *table, holds_entry, max_table_nodes);
  auto fails = table_expression(axes, *table, fails_entry, max_table_nodes);
  if (!holds || !fails) return too_large(knobs, fmt::format("{} irregular", combinations));
  return LoweredTruth{*std::move(holds), not_expression(*std::move(fails))};
}

/** Parts that are the same in all configurations, such as max(ProblemSize), are computed once for a table.
 * What fails by itself stays: it may be no part that is asked for, or need a loop's variable. */
void ConditionValues::fold_constants(Node& node) const {
  if (may_be_folded(node.kind) && knobs_of(node).empty()) {
    Result<PythonObject> value = constant_value(node);
    if (value && value->form == PythonObject::Form::Value) {
      node = Node{.constant = std::move(value->value), .position = node.position};
      return;
    }
  }
  for (Node& operand : node.operands) fold_constants(operand);
}

/** Computes a part for all values of its parameters; none if that takes too long. */
std::optional<std::vector<std::uint8_t>> ConditionValues::table_of(const Node& node,
                                                                   const std::vector<std::uint32_t>& knobs,
                                                                   std::uint64_t combinations) const {
  space::Configuration configuration;
  configuration.indices.resize(scope_.knobs.size());
  const PythonNames names = names_in(scope_, configuration);
  const std::uint64_t nodes = nodes_of(node);
  std::vector<std::uint8_t> table;
  table.reserve(combinations);
  while (table.size() < combinations) {
    if (budget_.spent()) return std::nullopt;
    std::uint64_t steps = 0;
    const Result<PythonObject> value = compute_python(text_, node, names, &steps);
    spend(steps, nodes);
    table.push_back(!value ? fails_entry : python_truth(*value) ? holds_entry : 0);
    for (std::size_t digit = knobs.size(); digit-- > 0;) {
      std::uint32_t& index = configuration.indices[knobs[digit]];
      if (++index < scope_.knobs[knobs[digit]].count()) break;
      index = 0;
    }
  }
  return table;
}

std::unexpected<Error> ConditionValues::too_large(const std::vector<std::uint32_t>& knobs,
                                                  std::string_view how_many) const {
  std::vector<std::string> names;
  for (const std::uint32_t knob : knobs) names.push_back(scope_.knobs[knob].name());
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: what is no comparison of whole numbers of 64 bits is tried for all values of "
                          "its parameters, and those of {} have {} combinations",
                          base::quoted_line(text_, 200), base::join(names, ", "), how_many),
              "compare whole numbers: // in place of /, products that fit 64 bits; or split the condition");
}

}  // namespace kernelscape::project
