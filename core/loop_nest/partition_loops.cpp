#include <algorithm>
#include <optional>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"

namespace kernelscape::loop_nest {
namespace {

/** Maximum number of iterations at an end of a loop for which separate code is generated. */
constexpr std::int64_t max_peeled = 4;

std::int64_t ceil_quotient(std::int64_t value, std::int64_t divisor) {
  return -floor_quotient(-value, divisor);
}

class Partitioner {
 public:
  explicit Partitioner(const Ranges& ranges) : ranges_(ranges) {}

  StatementPtr run(const StatementPtr& statement) {
    StatementPtr inner = rewrite_parts(statement, [&](const StatementPtr& part) { return run(part); });
    const auto* loop = std::get_if<Loop>(&inner->node);
    if (loop == nullptr || loop->kind != LoopKind::Serial) return inner;
    const std::optional<Range> middle = middle_of(*loop);
    return middle ? split(*loop, *middle) : inner;
  }

 private:
  /**
   * Returns the iterations in which all conditions that depend only on this loop and loops inside of it are
   * true; nullopt if there is no such condition.
   */
  std::optional<Range> middle_of(const Loop& loop) const {
    std::vector<int> inner;
    std::vector<int> unrolled;
    collect_loops(loop.body, inner, unrolled);
    std::optional<Range> middle;
    for_each_compute(loop.body, [&](const Compute& compute) {
      for (const Condition& condition : compute.conditions) {
        if (!peelable(condition, loop, inner, unrolled)) continue;
        if (!middle) middle = Range{loop.begin, loop.end - 1};
        const std::int64_t step = condition.value.coefficient(loop.variable).value();
        const Range rest = condition.value.substitute(loop.variable, 0, ranges_).range(ranges_);
        middle->low = std::max(middle->low, ceil_quotient(-rest.low, step));
        middle->high = std::min(middle->high, floor_quotient(condition.bound - 1 - rest.high, step));
      }
    });
    return middle;
  }

  /** Conditions that contain an unrolled loop would otherwise be repeated around every copy. */
  bool peelable(const Condition& condition, const Loop& loop, const std::vector<int>& inner,
                const std::vector<int>& unrolled) const {
    if (condition.divisor != 1 || decide(condition, ranges_) != Certainty::Open) return false;
    const std::optional<std::int64_t> step = condition.value.coefficient(loop.variable);
    if (!step || *step <= 0) return false;
    bool per_copy = false;
    for (const int variable : condition.value.variables()) {
      if (variable == loop.variable) continue;
      if (!contains(inner, variable)) return false;
      per_copy = per_copy || contains(unrolled, variable);
    }
    return per_copy;
  }

  static void collect_loops(const StatementPtr& statement, std::vector<int>& inner,
                            std::vector<int>& unrolled) {
    if (const auto* loop = std::get_if<Loop>(&statement->node)) {
      inner.push_back(loop->variable);
      if (loop->kind == LoopKind::Unrolled) unrolled.push_back(loop->variable);
    }
    rewrite_parts(statement, [&](const StatementPtr& part) {
      collect_loops(part, inner, unrolled);
      return part;
    });
  }

  StatementPtr split(const Loop& loop, Range middle) {
    if (middle.low > middle.high) {  // no iteration is free of conditions
      if (loop.end - loop.begin > 2 * max_peeled) return make_statement(loop);
      return peel(loop, loop.begin, loop.end);
    }
    if (middle.low - loop.begin > max_peeled || loop.end - 1 - middle.high > max_peeled)
      return make_statement(loop);
    std::vector<StatementPtr> parts;
    parts.push_back(peel(loop, loop.begin, middle.low));
    parts.push_back(narrowed(loop, middle));
    parts.push_back(peel(loop, middle.high + 1, loop.end));
    return make_sequence(parts);
  }

  StatementPtr narrowed(const Loop& loop, Range middle) {
    if (middle.low == middle.high) return peel(loop, middle.low, middle.high + 1);
    const auto variable = static_cast<std::size_t>(loop.variable);
    Ranges ranges = ranges_;
    ranges[variable] = middle;
    Loop result = loop;
    result.begin = middle.low;
    result.end = middle.high + 1;
    result.body = without_decided(loop.body, ranges);
    return make_statement(std::move(result));
  }

  StatementPtr peel(const Loop& loop, std::int64_t begin, std::int64_t end) const {
    std::vector<StatementPtr> copies;
    for (std::int64_t value = begin; value < end; ++value)
      copies.push_back(substitute(loop.body, loop.variable, IndexExpression(value), ranges_));
    return make_sequence(copies);
  }

  /** Removes conditions that hold in the narrowed ranges. */
  static StatementPtr without_decided(const StatementPtr& statement, const Ranges& ranges) {
    const auto* compute = std::get_if<Compute>(&statement->node);
    if (compute == nullptr)
      return rewrite_parts(statement,
                           [&](const StatementPtr& part) { return without_decided(part, ranges); });
    Compute result = *compute;
    std::erase_if(result.conditions,
                  [&](const Condition& condition) { return decide(condition, ranges) == Certainty::Always; });
    return make_statement(std::move(result));
  }

  const Ranges& ranges_;
};

}  // namespace

LoopNest partition_loops(const LoopNest& nest) {
  LoopNest result = nest;
  result.body = Partitioner(nest.ranges).run(nest.body);
  return result;
}

}  // namespace kernelscape::loop_nest
