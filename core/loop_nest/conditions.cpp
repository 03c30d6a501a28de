#include <algorithm>
#include <utility>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"

namespace kernelscape::loop_nest {
namespace {

/** Returns the replacement of an operation whose conditions never hold. */
StatementPtr never(const Compute& compute) {
  if (compute.operation != Operation::CopyOrZero) return nullptr;
  return make_statement(Compute{Operation::SetZero, compute.destination, {}, compute.lanes, {}});
}

StatementPtr decide_statement(const StatementPtr& statement, const Ranges& ranges) {
  const auto* compute = std::get_if<Compute>(&statement->node);
  if (compute == nullptr) {
    StatementPtr result =
        rewrite_parts(statement, [&](const StatementPtr& part) { return decide_statement(part, ranges); });
    return result;
  }
  std::vector<Condition> open;
  for (const Condition& condition : compute->conditions) {
    const Certainty truth = decide(condition, ranges);
    if (truth == Certainty::Never) return never(*compute);
    if (truth == Certainty::Open && !contains(open, condition)) open.push_back(condition);
  }
  const bool plain = open.empty() && compute->operation == Operation::CopyOrZero;
  if (!plain && open.size() == compute->conditions.size()) return statement;
  Compute result = *compute;
  result.conditions = std::move(open);
  if (plain) result.operation = Operation::Copy;
  return make_statement(std::move(result));
}

/** A statement and the conditions that it needs as a whole. */
struct Guarded {
  StatementPtr statement;
  std::vector<Condition> conditions;
};

StatementPtr guard(Guarded part) {
  if (part.conditions.empty()) return part.statement;
  return make_statement(Guard{std::move(part.conditions), std::move(part.statement)});
}

Guarded hoist(const StatementPtr& statement);

/** Adjacent statements with the same conditions. */
struct Run {
  std::vector<StatementPtr> statements;
  std::vector<Condition> conditions;
};

/** Hoists conditions out of a sequence: adjacent statements with the same conditions share one guard. */
Guarded hoist_sequence(const Sequence& sequence) {
  std::vector<Run> runs;
  for (const StatementPtr& part : sequence.statements) {
    Guarded hoisted = hoist(part);
    if (runs.empty() || runs.back().conditions != hoisted.conditions)
      runs.push_back({{}, std::move(hoisted.conditions)});
    runs.back().statements.push_back(std::move(hoisted.statement));
  }
  std::vector<Condition> common = runs.front().conditions;
  for (const Run& run : runs)
    std::erase_if(common, [&](const Condition& c) { return !contains(run.conditions, c); });
  std::vector<StatementPtr> statements;
  for (Run& run : runs) {
    std::erase_if(run.conditions, [&](const Condition& c) { return contains(common, c); });
    statements.push_back(guard({make_sequence(run.statements), std::move(run.conditions)}));
  }
  return {make_sequence(statements), std::move(common)};
}

/** Hoists the conditions that do not contain the variable; the others stay inside. */
Guarded pass_variable(const StatementPtr& statement, int variable, Guarded body) {
  Guarded result;
  std::vector<Condition> kept;
  for (Condition& condition : body.conditions)
    (condition.value.depends_on(variable) ? kept : result.conditions).push_back(std::move(condition));
  StatementPtr inside = guard({std::move(body.statement), std::move(kept)});
  result.statement = rewrite_parts(statement, [&](const StatementPtr&) { return inside; });
  return result;
}

Guarded hoist(const StatementPtr& statement) {
  if (std::holds_alternative<Barrier>(statement->node) ||
      std::holds_alternative<FragmentOperation>(statement->node))
    return {statement, {}};
  if (const auto* compute = std::get_if<Compute>(&statement->node)) {
    if (compute->operation == Operation::CopyOrZero)
      return {statement, {}};  // it also has an effect if conditions fail
    Compute bare = *compute;
    std::vector<Condition> conditions = std::exchange(bare.conditions, {});
    return {make_statement(std::move(bare)), std::move(conditions)};
  }
  if (const auto* sequence = std::get_if<Sequence>(&statement->node)) return hoist_sequence(*sequence);
  if (const auto* loop = std::get_if<Loop>(&statement->node))
    return pass_variable(statement, loop->variable, hoist(loop->body));
  if (const auto* let = std::get_if<Let>(&statement->node))
    return pass_variable(statement, let->variable, hoist(let->body));
  if (const auto* guarded = std::get_if<Guard>(&statement->node)) {
    Guarded inner = hoist(guarded->body);
    inner.conditions.insert(inner.conditions.begin(), guarded->conditions.begin(), guarded->conditions.end());
    return inner;
  }
  const auto& allocate = std::get<Allocate>(statement->node);
  Guarded inner = hoist(allocate.body);
  return {make_statement(Allocate{allocate.buffer, inner.statement}), std::move(inner.conditions)};
}

}  // namespace

LoopNest decide_conditions(const LoopNest& nest) {
  LoopNest result = nest;
  result.body = decide_statement(nest.body, nest.ranges);
  return result;
}

LoopNest hoist_conditions(const LoopNest& nest) {
  LoopNest result = nest;
  if (nest.body) result.body = guard(hoist(nest.body));
  return result;
}

}  // namespace kernelscape::loop_nest
