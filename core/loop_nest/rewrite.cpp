#include "core/loop_nest/rewrite.h"

#include <utility>

namespace kernelscape::loop_nest {
namespace {

/** Returns a copy of a node with another body; the statement itself if the body is the same. */
template <typename Node>
StatementPtr with_body(const StatementPtr& statement, const Node& node, const Rewrite& rewrite) {
  StatementPtr body = rewrite(node.body);
  if (body == node.body) return statement;
  if (!body) return nullptr;
  Node copy = node;
  copy.body = std::move(body);
  return make_statement(std::move(copy));
}

BufferAccess substituted(const BufferAccess& access, int variable, const IndexExpression& replacement,
                         const Ranges& ranges) {
  return {access.buffer, access.offset.substitute(variable, replacement, ranges), access.lane_stride};
}

/** Returns an operation with a variable of its accesses replaced. */
template <typename AnyOperation>
AnyOperation with_accesses(AnyOperation operation, int variable, const IndexExpression& replacement,
                           const Ranges& ranges) {
  operation.destination = substituted(operation.destination, variable, replacement, ranges);
  for (BufferAccess& source : operation.sources) source = substituted(source, variable, replacement, ranges);
  return operation;
}

std::vector<Condition> substituted(const std::vector<Condition>& conditions, int variable,
                                   const IndexExpression& replacement, const Ranges& ranges) {
  std::vector<Condition> result;
  result.reserve(conditions.size());
  for (const Condition& condition : conditions)
    result.push_back(
        {condition.value.substitute(variable, replacement, ranges), condition.bound, condition.divisor});
  return result;
}

}  // namespace

StatementPtr make_sequence(const std::vector<StatementPtr>& statements) {
  std::vector<StatementPtr> flat;
  flat.reserve(statements.size());
  for (const StatementPtr& statement : statements) {
    if (!statement) continue;
    if (const auto* sequence = std::get_if<Sequence>(&statement->node))
      flat.insert(flat.end(), sequence->statements.begin(), sequence->statements.end());
    else
      flat.push_back(statement);
  }
  if (flat.empty()) return nullptr;
  if (flat.size() == 1) return flat.front();
  return make_statement(Sequence{std::move(flat)});
}

StatementPtr rewrite_parts(const StatementPtr& statement, const Rewrite& rewrite) {
  return std::visit(
      [&](const auto& node) -> StatementPtr {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Compute> || std::is_same_v<Node, Barrier> ||
                      std::is_same_v<Node, FragmentOperation>) {
          return statement;
        } else if constexpr (std::is_same_v<Node, Sequence>) {
          bool changed = false;
          std::vector<StatementPtr> parts;
          parts.reserve(node.statements.size());
          for (const StatementPtr& part : node.statements) {
            parts.push_back(rewrite(part));
            changed = changed || parts.back() != part;
          }
          return changed ? make_sequence(parts) : statement;
        } else {
          return with_body(statement, node, rewrite);
        }
      },
      statement->node);
}

void for_each_compute(const StatementPtr& statement, const std::function<void(const Compute&)>& visit) {
  if (const auto* compute = std::get_if<Compute>(&statement->node)) visit(*compute);
  rewrite_parts(statement, [&](const StatementPtr& part) {
    for_each_compute(part, visit);
    return part;
  });
}

StatementPtr substitute(const StatementPtr& statement, int variable, const IndexExpression& replacement,
                        const Ranges& ranges) {
  if (const auto* compute = std::get_if<Compute>(&statement->node)) {
    Compute copy = with_accesses(*compute, variable, replacement, ranges);
    copy.conditions = substituted(copy.conditions, variable, replacement, ranges);
    return make_statement(std::move(copy));
  }
  if (const auto* fragments = std::get_if<FragmentOperation>(&statement->node))
    return make_statement(with_accesses(*fragments, variable, replacement, ranges));
  StatementPtr result = rewrite_parts(
      statement, [&](const StatementPtr& part) { return substitute(part, variable, replacement, ranges); });
  if (const auto* guard = std::get_if<Guard>(&result->node))
    return make_statement(Guard{substituted(guard->conditions, variable, replacement, ranges), guard->body});
  if (const auto* let = std::get_if<Let>(&result->node))
    return make_statement(
        Let{let->variable, let->value.substitute(variable, replacement, ranges), let->body});
  return result;
}

Certainty decide(const Condition& condition, const Ranges& ranges) {
  const IndexExpression remainder = modulo(condition.value, condition.divisor, ranges);
  if (!remainder.is_constant()) return Certainty::Open;
  if (remainder.constant() != 0) return Certainty::Never;
  const Range range = floor_divide(condition.value, condition.divisor, ranges).range(ranges);
  if (range.low >= 0 && range.high < condition.bound) return Certainty::Always;
  if (range.high < 0 || range.low >= condition.bound) return Certainty::Never;
  return Certainty::Open;
}

}  // namespace kernelscape::loop_nest
