#include <algorithm>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"

namespace kernelscape::loop_nest {
namespace {

/** TVM's auto_max_depth: nested loops that are unrolled together. */
constexpr int max_unrolled_depth = 8;

/** The properties of a statement that TVM's unrolling uses. */
struct Shape {
  std::int64_t steps = 0;  ///< operations, those of unrolled loops counted per iteration; saturates
  int unrolled_depth = 0;
  int serial_depth = 0;  ///< depth of loops that stay
};

class AutoUnroller {
 public:
  AutoUnroller(std::int64_t max_steps, bool in_source) : max_steps_(max_steps), in_source_(in_source) {}

  StatementPtr run(const StatementPtr& statement, Shape& shape) const {
    if (std::holds_alternative<Compute>(statement->node)) shape.steps += 1;
    const auto* loop = std::get_if<Loop>(&statement->node);
    if (loop != nullptr) return run_loop(*loop, shape);
    return rewrite_parts(statement, [&](const StatementPtr& part) {
      Shape inner;
      StatementPtr result = run(part, inner);
      shape.steps = saturated_sum(shape.steps, inner.steps);
      shape.unrolled_depth = std::max(shape.unrolled_depth, inner.unrolled_depth);
      shape.serial_depth = std::max(shape.serial_depth, inner.serial_depth);
      return result;
    });
  }

 private:
  static std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
  }

  StatementPtr run_loop(const Loop& loop, Shape& shape) const {
    Loop result = loop;
    result.body = run(loop.body, shape);
    const std::int64_t iterations = loop.end - loop.begin;
    std::int64_t steps = 0;
    if (__builtin_mul_overflow(shape.steps, iterations, &steps)) steps = INT64_MAX;
    const bool asked = loop.unroll_hint >= iterations || loop.kind == LoopKind::Unrolled;
    const bool chosen =
        shape.serial_depth == 0 && shape.unrolled_depth <= max_unrolled_depth && steps <= max_steps_;
    if (asked || chosen) {
      shape.steps = steps;
      ++shape.unrolled_depth;
    } else {
      ++shape.serial_depth;
    }
    if (chosen && !asked && in_source_) result.kind = LoopKind::Unrolled;
    if (chosen && !asked && !in_source_) result.unroll_hint = iterations;
    return make_statement(std::move(result));
  }

  std::int64_t max_steps_;
  bool in_source_;
};

}  // namespace

LoopNest auto_unroll(const LoopNest& nest, std::int64_t max_steps, bool in_source) {
  LoopNest result = nest;
  Shape shape;
  if (nest.body) result.body = AutoUnroller(max_steps, in_source).run(nest.body, shape);
  return result;
}

}  // namespace kernelscape::loop_nest
