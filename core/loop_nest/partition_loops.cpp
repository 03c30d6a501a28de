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
  explicit Partitioner(const LoopNest& nest) : nest_(nest), ranges_(nest.ranges) {}

  StatementPtr run(const StatementPtr& statement) {
    StatementPtr inner = rewrite_parts(statement, [&](const StatementPtr& part) { return run(part); });
    if (const auto* let = std::get_if<Let>(&statement->node);
        let != nullptr && inner && nest_.separate_last_blocks)
      if (StatementPtr versions = versions_of(*let, std::get<Let>(inner->node).body)) return versions;
    const auto* given = inner ? std::get_if<Loop>(&inner->node) : nullptr;
    if (given == nullptr || given->kind != LoopKind::Serial) return inner;
    Loop loop = *given;
    const std::optional<Range> middle = middle_of(loop.variable, {loop.begin, loop.end - 1}, loop.body);
    if (!middle) return inner;
    if (nest_.separate_last_blocks) loop.end = std::min(loop.end, end_of_effects(loop));
    return split(loop, *middle);
  }

 private:
  /**
   * Returns the values of a variable with which all conditions that depend only on it and on loops inside of
   * its body are true; nullopt if there is no such condition.
   */
  std::optional<Range> middle_of(int variable, Range range, const StatementPtr& body) const {
    const InnerLoops inner = inner_loops(body);
    std::optional<Range> middle;
    for_each_compute(
        body, [&](const Compute& compute) { narrow(middle, compute, variable, range, inner, ranges_); });
    return middle;
  }

  /**
   * Returns the blocks, by the variable of their index, in which tiles of the output do not overhang; nullopt
   * if that is decided otherwise.
   */
  std::optional<Range> full_blocks(int variable, const StatementPtr& body) const {
    const InnerLoops inner = inner_loops(body);
    std::optional<Range> middle;
    for_each_compute(body, [&](const Compute& compute) {
      const auto destination = static_cast<std::size_t>(compute.destination.buffer);
      if (nest_.buffers[destination].scope != BufferScope::Global) return;
      narrow(middle, compute, variable, ranges_[static_cast<std::size_t>(variable)], inner,
             ranges_with_effect(compute));
    });
    return middle;
  }

  /** The variables of the loops inside of a statement. */
  struct InnerLoops {
    std::vector<int> all;
    std::vector<int> unrolled;
  };

  static InnerLoops inner_loops(const StatementPtr& body) {
    InnerLoops inner;
    collect_loops(body, inner.all, inner.unrolled);
    return inner;
  }

  /** Leaves the part of `middle`, `range` at first, in which the conditions of a compute are true. */
  static void narrow(std::optional<Range>& middle, const Compute& compute, int variable, Range range,
                     const InnerLoops& inner, const Ranges& ranges) {
    for (const Condition& condition : compute.conditions) {
      if (!peelable(condition, variable, inner.all, inner.unrolled, ranges)) continue;
      if (!middle) middle = range;
      const std::int64_t step = condition.value.coefficient(variable).value();
      const Range rest = condition.value.substitute(variable, 0, ranges).range(ranges);
      middle->low = std::max(middle->low, ceil_quotient(-rest.low, step));
      middle->high = std::min(middle->high, floor_quotient(condition.bound - 1 - rest.high, step));
    }
  }

  /** Returns the ranges, narrowed by the conditions of a compute that contain only one variable. */
  Ranges ranges_with_effect(const Compute& compute) const {
    Ranges ranges = ranges_;
    if (compute.operation == Operation::CopyOrZero) return ranges;
    for (const Condition& condition : compute.conditions) {
      const std::vector<int> variables = condition.value.variables();
      if (variables.size() != 1 || condition.divisor != 1) continue;
      const std::optional<std::int64_t> step = condition.value.coefficient(variables.front());
      if (!step || *step <= 0) continue;
      const std::int64_t rest =
          condition.value.substitute(variables.front(), IndexExpression(0), ranges_).constant();
      Range& range = ranges[static_cast<std::size_t>(variables.front())];
      const Range narrowed{std::max(range.low, ceil_quotient(-rest, *step)),
                           std::min(range.high, floor_quotient(condition.bound - 1 - rest, *step))};
      if (narrowed.low <= narrowed.high) range = narrowed;
    }
    return ranges;
  }

  /** Conditions that contain an unrolled loop would otherwise be repeated around every copy. */
  static bool peelable(const Condition& condition, int of, const std::vector<int>& inner,
                       const std::vector<int>& unrolled, const Ranges& ranges) {
    if (condition.divisor != 1 || decide(condition, ranges) != Certainty::Open) return false;
    const std::optional<std::int64_t> step = condition.value.coefficient(of);
    if (!step || *step <= 0) return false;
    bool per_copy = false;
    for (const int variable : condition.value.variables()) {
      if (variable == of) continue;
      if (!contains(inner, variable)) return false;
      per_copy = per_copy || contains(unrolled, variable);
    }
    return per_copy;
  }

  /**
   * Returns separate code for the last of several blocks, if only there tiles overhang in a way that
   * separating iterations of inner loops does not decide; null otherwise. The index of a block has no loop of
   * its own: it is decoded from the index of all blocks.
   * @param separated the body after its own loops were separated
   */
  StatementPtr versions_of(const Let& let, const StatementPtr& separated) {
    const Range range = ranges_[static_cast<std::size_t>(let.variable)];
    const std::optional<Range> middle = full_blocks(let.variable, separated);
    if (!middle || middle->low > range.low || middle->high != range.high - 1) return nullptr;
    Ranges ranges = ranges_;
    ranges[static_cast<std::size_t>(let.variable)] = *middle;
    const StatementPtr full = run(without_decided(let.body, ranges));
    const StatementPtr last = run(substitute(let.body, let.variable, IndexExpression(range.high), ranges_));
    const IndexExpression block = IndexExpression::variable(let.variable);
    std::vector<StatementPtr> versions;
    if (full) versions.push_back(make_statement(Guard{{Condition{block, range.high}}, full}));
    if (last)
      versions.push_back(make_statement(Guard{{Condition{block + IndexExpression(-range.high), 1}}, last}));
    return versions.empty() ? nullptr : make_statement(Let{let.variable, let.value, make_sequence(versions)});
  }

  /**
   * Returns the iteration from which on conditions prevent all writes to memory that outlives the loop's
   * body: in a last block, the tiles beyond the matrix.
   */
  std::int64_t end_of_effects(const Loop& loop) const {
    std::vector<int> own;
    collect_buffers(loop.body, own);
    std::int64_t end = loop.begin;
    for_each_compute(loop.body, [&](const Compute& compute) {
      if (contains(own, compute.destination.buffer)) return;
      std::int64_t possible = loop.end;
      for (const Condition& condition : compute.conditions) {
        const std::optional<std::int64_t> step = condition.value.coefficient(loop.variable);
        if (compute.operation == Operation::CopyOrZero || condition.divisor != 1 || !step || *step <= 0)
          continue;
        const Range rest = condition.value.substitute(loop.variable, 0, ranges_).range(ranges_);
        possible = std::min(possible, floor_quotient(condition.bound - 1 - rest.low, *step) + 1);
      }
      end = std::max(end, possible);
    });
    return end;
  }

  static void collect_buffers(const StatementPtr& statement, std::vector<int>& buffers) {
    if (const auto* allocate = std::get_if<Allocate>(&statement->node)) buffers.push_back(allocate->buffer);
    rewrite_parts(statement, [&](const StatementPtr& part) {
      collect_buffers(part, buffers);
      return part;
    });
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

  const LoopNest& nest_;
  const Ranges& ranges_;
};

}  // namespace

LoopNest partition_loops(const LoopNest& nest) {
  LoopNest result = nest;
  result.body = Partitioner(nest).run(nest.body);
  return result;
}

}  // namespace kernelscape::loop_nest
