#include <algorithm>
#include <limits>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"

namespace kernelscape::loop_nest {
namespace {

StatementPtr unroll_statement(const StatementPtr& statement, const Ranges& ranges) {
  StatementPtr inner =
      rewrite_parts(statement, [&](const StatementPtr& part) { return unroll_statement(part, ranges); });
  if (!inner) return nullptr;
  const auto* loop = std::get_if<Loop>(&inner->node);
  if (loop == nullptr || loop->kind != LoopKind::Unrolled) return inner;
  std::vector<StatementPtr> copies;
  for (std::int64_t value = loop->begin; value < loop->end; ++value)
    copies.push_back(substitute(loop->body, loop->variable, IndexExpression(value), ranges));
  return make_sequence(copies);
}

/**
 * A loop is undecided if a condition contains it together with an unrolled loop (one copy of the body may
 * need the condition, another not) and no other loop: then unrolling it as well decides the condition.
 */
class UndecidedMarker {
 public:
  explicit UndecidedMarker(const Ranges& ranges) : ranges_(ranges) {}

  StatementPtr run(const StatementPtr& statement) {
    const auto* loop = std::get_if<Loop>(&statement->node);
    if (loop == nullptr) return rewrite_parts(statement, [&](const StatementPtr& part) { return run(part); });
    if (loop->kind == LoopKind::Unrolled) {
      unrolled_.push_back(loop->variable);
      StatementPtr result = rewrite_parts(statement, [&](const StatementPtr& part) { return run(part); });
      unrolled_.pop_back();
      return result;
    }
    if (loop->kind != LoopKind::Serial || !undecided(*loop))
      return rewrite_parts(statement, [&](const StatementPtr& part) { return run(part); });
    Loop marked = *loop;
    marked.kind = LoopKind::Unrolled;
    return run(make_statement(std::move(marked)));
  }

 private:
  bool undecided(const Loop& loop) const {
    bool found = false;
    std::vector<int> inner = unrolled_;
    collect_static(loop.body, inner);
    for_each_compute(loop.body, [&](const Compute& compute) {
      for (const Condition& condition : compute.conditions) {
        if (found || !condition.value.depends_on(loop.variable) ||
            decide(condition, ranges_) != Certainty::Open)
          continue;
        const std::vector<int> variables = condition.value.variables();
        found = variables.size() > 1 && std::ranges::all_of(variables, [&](int variable) {
                  return variable == loop.variable || contains(inner, variable);
                });
      }
    });
    return found;
  }

  static void collect_static(const StatementPtr& statement, std::vector<int>& variables) {
    if (const auto* loop = std::get_if<Loop>(&statement->node);
        loop != nullptr && loop->kind == LoopKind::Unrolled)
      variables.push_back(loop->variable);
    rewrite_parts(statement, [&](const StatementPtr& part) {
      collect_static(part, variables);
      return part;
    });
  }

  const Ranges& ranges_;
  std::vector<int> unrolled_;
};

/** Counts operations, saturating: nested loops may have more copies than fit into a number. */
std::int64_t count(const StatementPtr& statement) {
  if (std::holds_alternative<Compute>(statement->node) ||
      std::holds_alternative<FragmentOperation>(statement->node))
    return 1;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t total = 0;
  rewrite_parts(statement, [&](const StatementPtr& part) {
    if (__builtin_add_overflow(total, count(part), &total)) total = most;
    return part;
  });
  const auto* loop = std::get_if<Loop>(&statement->node);
  if (loop == nullptr || loop->kind != LoopKind::Unrolled) return total;
  return __builtin_mul_overflow(total, loop->end - loop->begin, &total) ? most : total;
}

}  // namespace

LoopNest unroll(const LoopNest& nest) {
  LoopNest result = nest;
  result.body = unroll_statement(nest.body, nest.ranges);
  return result;
}

LoopNest unroll_undecided(const LoopNest& nest) {
  LoopNest result = nest;
  result.body = UndecidedMarker(nest.ranges).run(nest.body);
  return result;
}

std::int64_t count_operations(const LoopNest& nest) { return nest.body ? count(nest.body) : 0; }

}  // namespace kernelscape::loop_nest
