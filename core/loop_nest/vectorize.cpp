#include <algorithm>
#include <bit>
#include <optional>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"

namespace kernelscape::loop_nest {
namespace {

class Vectorizer {
 public:
  explicit Vectorizer(const LoopNest& nest) : nest_(nest) {}

  StatementPtr run(const StatementPtr& statement) const {
    const auto* loop = std::get_if<Loop>(&statement->node);
    if (loop == nullptr || loop->kind != LoopKind::Vectorized)
      return rewrite_parts(statement, [&](const StatementPtr& part) { return run(part); });
    return widen(loop->body, *loop);
  }

 private:
  /** Returns the body with its operations over all lanes of the loop. */
  StatementPtr widen(const StatementPtr& statement, const Loop& loop) const {
    const auto* compute = std::get_if<Compute>(&statement->node);
    if (compute == nullptr)
      return rewrite_parts(statement, [&](const StatementPtr& part) { return widen(part, loop); });
    std::vector<StatementPtr> pieces;
    for (std::int64_t first = loop.begin; first < loop.end;) {
      const std::int64_t rest = loop.end - first;
      const std::int64_t lanes = std::min(
          nest_.vector_lanes, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rest))));
      pieces.push_back(make_statement(piece(*compute, loop.variable, first, lanes)));
      first += lanes;
    }
    return make_sequence(pieces);
  }

  Compute piece(const Compute& compute, int variable, std::int64_t first, std::int64_t lanes) const {
    Compute result = compute;
    result.lanes = lanes;
    widen_access(result.destination, variable, first);
    for (BufferAccess& source : result.sources) widen_access(source, variable, first);
    return result;
  }

  void widen_access(BufferAccess& access, int variable, std::int64_t first) const {
    // A schedule only vectorizes loops that have a constant stride in every layout.
    access.lane_stride = access.offset.coefficient(variable).value();
    access.offset = access.offset.substitute(variable, IndexExpression(first), nest_.ranges);
  }

  const LoopNest& nest_;
};

}  // namespace

LoopNest vectorize(const LoopNest& nest) {
  LoopNest result = nest;
  result.body = Vectorizer(nest).run(nest.body);
  return result;
}

}  // namespace kernelscape::loop_nest
