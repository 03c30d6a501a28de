#include "core/schedule/schedule_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/lowered_loops.h"
#include "core/schedule/resolved_record.h"
#include "core/schedule/stage_copies.h"

namespace kernelscape::schedule {
namespace {

class Check {
 public:
  Check(const Schedule& schedule, TargetKind target) : s_(schedule), target_(target) {}

  Status run() const {
    TRY(check_order());
    TRY(check_loops());
    for (const Stage& stage : s_.stages()) TRY(check_stage(stage));
    TRY(check_operation());
    TRY(check_transform());
    if (s_.accumulator() == nullptr)
      return wrong("cache_write is missing: it sets the loop in which sums accumulate");
    return on_cpu() ? check_cpu() : check_gpu();
  }

 private:
  static Status wrong(std::string message, std::string hint = {}) {
    return fail(ErrorCode::Internal, std::move(message), std::move(hint));
  }

  bool on_cpu() const { return target_ == TargetKind::Cpu; }
  const std::string& name(LoopId loop) const { return s_.loop(loop).name; }
  const std::string& tensor_name(int tensor) const {
    return tensor_access(s_.op(), static_cast<std::size_t>(tensor)).tensor;
  }
  bool is_reduction(LoopId loop) const {
    return s_.op().axes[static_cast<std::size_t>(s_.loop(loop).axis)].reduction;
  }
  bool takes(LoopId loop) const {
    return s_.tensorized() && loop_nest::contains(s_.tensorized()->loops, loop);
  }

  /** Returns all loops of an item, in one of its orders. */
  static const std::vector<LoopId>& loops_of(const OrderItem& item) {
    return item.choice ? item.alternatives.front() : item.loops;
  }

  /** Returns the position of the item that contains a loop; the number of items if none contains it. */
  std::size_t item_of(LoopId loop) const {
    std::size_t item = 0;
    while (item < s_.order().size() && !loop_nest::contains(loops_of(s_.order()[item]), loop)) ++item;
    return item;
  }

  Status check_order() const {
    std::vector<int> runs(s_.loops().size(), 0);
    for (const OrderItem& item : s_.order()) {
      for (const LoopId loop : loops_of(item)) ++runs[static_cast<std::size_t>(loop.number)];
      for (const std::vector<LoopId>& other : item.alternatives)
        if (!std::ranges::is_permutation(other, item.alternatives.front()))
          return wrong("reorder: the orders that a knob selects from contain different loops");
    }
    for (std::size_t i = 0; i < s_.loops().size(); ++i) {
      const Loop& loop = s_.loops()[i];
      const bool whole = !loop.parts.empty() || loop.fused_into.has_value();
      if (whole && runs[i] > 0)
        return wrong(fmt::format("reorder: {} is split or fused, and is in the order together with its parts",
                                 loop.name));
      if (!whole && runs[i] != 1)
        return wrong(fmt::format("reorder: the order contains {} {} times, not once", loop.name, runs[i]));
    }
    return {};
  }

  Status check_loops() const {
    for (std::size_t i = 0; i < s_.loops().size(); ++i) {
      const Loop& loop = s_.loops()[i];
      const LoopPlace place = place_of(loop.binding);
      if (place != LoopPlace::Serial && is_reduction(LoopId{static_cast<int>(i)}))
        return wrong(fmt::format("{}: {} is a reduction, so that threads would add to the same elements",
                                 place == LoopPlace::Dealt ? "parallel" : "bind", loop.name));
      const bool launched = place != LoopPlace::Serial && place != LoopPlace::Dealt;
      if (on_cpu() && launched)
        return wrong(
            fmt::format("bind: {} is bound to a GPU's blocks or threads, but the target is a CPU", loop.name),
            "use parallel() to distribute loops over a CPU's threads");
      if (on_cpu()) continue;
      if (place == LoopPlace::Dealt)
        return wrong(fmt::format("parallel: {} is distributed over a CPU's threads, but the target is a GPU",
                                 loop.name),
                     "use bind() for blocks and threads");
      if (loop.vectorized)
        return wrong(
            fmt::format("vectorize: {} runs in vector lanes, which a GPU's threads do not have", loop.name));
      if (loop.unroll_hint)
        return wrong(fmt::format("unroll_hint: {} has a hint for a CPU's compiler, but the target is a GPU",
                                 loop.name),
                     "use auto_unroll() for a GPU");
      if (loop.length.kind == LoopLength::Kind::CeilQuotient)
        return wrong(fmt::format("tile: the last tile of {} may overhang, which GPU kernels do not support",
                                 loop.name),
                     "use split() or tile_evenly(), whose tiles divide the loop");
    }
    if (on_cpu()) TRY(check_dealt());
    if (on_cpu() && s_.unrolling())
      return wrong("auto_unroll: not supported for a CPU", "use unroll() or unroll_hint() for a CPU");
    return {};
  }

  /** Returns true if the loop runs once in every configuration. */
  bool single(LoopId loop) const {
    const LoopLength& length = s_.loop(loop).length;
    return length.kind == LoopLength::Kind::Fixed && length.fixed == 1;
  }

  /** Checks that threads are started only once. */
  Status check_dealt() const {
    const Loop* around = nullptr;
    for (const OrderItem& item : s_.order()) {
      for (const LoopId id : loops_of(item)) {
        const Loop& loop = s_.loop(id);
        if (place_of(loop.binding) != LoopPlace::Dealt) {
          if (!single(id)) around = &loop;
        } else if (around != nullptr) {
          return wrong(
              fmt::format("parallel: {} is distributed over threads inside of {}, which one thread runs",
                          loop.name, around->name),
              "make it the outermost loop with reorder(), or fuse it with the loops around it");
        }
      }
    }
    return {};
  }

  bool understands(const Stage& stage) const {
    switch (stage.scope) {
      case loop_nest::BufferScope::Global:
        return stage.kind == StageKind::Compute;
      case loop_nest::BufferScope::Local:
        return on_cpu();
      case loop_nest::BufferScope::Registers:
        return !on_cpu() || stage.kind == StageKind::CacheWrite;
      case loop_nest::BufferScope::Shared:
      case loop_nest::BufferScope::Fragments:
        return !on_cpu();
    }
    return false;
  }

  Status check_stage(const Stage& stage) const {
    if (stage.kind == StageKind::Compute) return {};
    const std::string what =
        fmt::format("{} of {}", stage.kind == StageKind::CacheRead ? "cache_read" : "cache_write",
                    tensor_name(stage.tensor));
    if (!understands(stage))
      return wrong(fmt::format("{}: a {} does not support stages in {}", what, on_cpu() ? "CPU" : "GPU",
                               loop_nest::to_string(stage.scope)));
    for (const LoopId at : stage.at.loops) {
      if (at == nowhere) {
        if (stage.at.knob && stage.scope == loop_nest::BufferScope::Local) continue;
        return wrong(
            fmt::format("{}: it is attached nowhere, but only stages in local memory can be left out", what));
      }
      const std::size_t item = item_of(at);
      if (item == s_.order().size())
        return wrong(fmt::format("{}: it is attached to {}, which is not in the order", what, name(at)));
      const bool open = s_.order()[item].permutation || s_.order()[item].choice;
      if (open && (stage.kind == StageKind::CacheRead || keeps_results(stage)))
        return wrong(fmt::format(
            "{}: it is attached to {}, whose position depends on a knob, so that its size is not known", what,
            name(at)));
    }
    if (keeps_results(stage)) return check_results(stage, what);
    return stage.kind == StageKind::CacheRead ? check_copy(stage, what) : Status{};
  }

  /** Returns true for results that wait in local memory until their sums are complete. */
  bool keeps_results(const Stage& stage) const {
    return stage.kind == StageKind::CacheWrite && stage.scope == loop_nest::BufferScope::Local &&
           !s_.tile_transform();
  }

  /** Checks that results are outside of their accumulator and of all reductions. */
  Status check_results(const Stage& stage, const std::string& what) const {
    if (s_.accumulator() == &stage)
      return wrong(
          fmt::format("{}: cache_write of registers must precede cache_write of local memory", what));
    for (const LoopId at : stage.at.loops) {
      if (at == nowhere) continue;
      if (item_of(at) > item_of(s_.accumulator()->at.loops.front()))
        return wrong(
            fmt::format("{}: it is attached to {}, inside of the sums' accumulator", what, name(at)));
      for (std::size_t item = 0; item <= item_of(at); ++item)
        for (const LoopId loop : loops_of(s_.order()[item]))
          if (is_reduction(loop) && !single(loop))
            return wrong(fmt::format(
                "{}: it is attached to {}, inside of {}, which is a reduction: its sums are not complete",
                what, name(at), name(loop)));
    }
    return {};
  }

  Status check_copy(const Stage& stage, const std::string& what) const {
    const Stage* earlier = nullptr;
    for (const Stage& other : s_.stages()) {
      if (&other == &stage) break;
      if (other.kind == StageKind::CacheRead && other.tensor == stage.tensor) earlier = &other;
    }
    const bool own =
        stage.scope == loop_nest::BufferScope::Registers || stage.scope == loop_nest::BufferScope::Fragments;
    if (own && (earlier == nullptr || earlier->scope != loop_nest::BufferScope::Shared))
      return wrong(fmt::format("{}: {} are filled from shared memory, but there is no copy in shared memory",
                               what, loop_nest::to_string(stage.scope)));
    if (stage.scope == loop_nest::BufferScope::Shared && earlier != nullptr)
      return wrong(fmt::format("{}: it has two copies in shared memory", what));
    if (stage.scope == loop_nest::BufferScope::Local && earlier != nullptr)
      return wrong(fmt::format("{}: it has two copies", what));
    if (earlier != nullptr)
      for (const LoopId at : stage.at.loops)
        for (const LoopId before : earlier->at.loops)
          if (item_of(at) < item_of(before))
            return wrong(
                fmt::format("{}: it is attached to {}, outside of {}, where the copy that it reads is made",
                            what, name(at), name(before)));
    TRY(check_double_buffer(stage, what));
    if (stage.options.index == CopyIndex::Loops || stage.scope == loop_nest::BufferScope::Fragments)
      return {};
    if (earlier != nullptr && earlier->options.index == CopyIndex::Loops)
      return wrong(fmt::format("{}: it is a box of a copy whose elements are numbered by loops", what),
                   "number its elements by loops too");
    const task::TensorAccess& tensor = tensor_access(s_.op(), static_cast<std::size_t>(stage.tensor));
    for (const task::AccessIndex& index : tensor.indices)
      if (index.divisor != 1 || std::ranges::any_of(index.coefficients, [](std::int64_t c) { return c < 0; }))
        return wrong(fmt::format("{}: an index with a division or a negative coefficient gives no box", what),
                     "number its elements by loops");
    for (const Loop& loop : s_.loops())
      if (loop.fused_into && std::ranges::any_of(tensor.indices, [&](const task::AccessIndex& index) {
            return index.coefficients[static_cast<std::size_t>(loop.axis)] != 0;
          }))
        return wrong(fmt::format("{}: {} is fused with other loops, which gives no box", what, loop.name),
                     "number its elements by loops");
    return {};
  }

  /**
   * Checks double buffering: while one copy is read the next is filled, which needs a serial loop of a thread
   * whose copies all have the same number.
   */
  Status check_double_buffer(const Stage& stage, const std::string& what) const {
    if (stage.scope != loop_nest::BufferScope::Shared) return {};
    for (const LoopId at : stage.at.loops)
      if (stage.options.copies > 1 && place_of(s_.loop(at).binding) != LoopPlace::Serial)
        return wrong(
            fmt::format("{}: it is double buffered in {}, which is not a serial loop", what, name(at)));
    for (const Stage& other : s_.stages()) {
      const bool beside =
          other.kind == StageKind::CacheRead && other.scope == loop_nest::BufferScope::Shared &&
          std::ranges::any_of(other.at.loops,
                              [&](LoopId at) { return loop_nest::contains(stage.at.loops, at); });
      if (beside && other.options.copies != stage.options.copies)
        return wrong(fmt::format("{}: it has {} copies in {}, but {} has {}", what, stage.options.copies,
                                 name(stage.at.loops.front()), tensor_name(other.tensor),
                                 other.options.copies));
    }
    return {};
  }

  /** Checks that all reductions are inside the fragments' loop, because fragments start with zero. */
  Status check_fragment_sums() const {
    const LoopId at = s_.accumulator()->at.loops.front();
    for (const OrderItem& item : s_.order()) {
      for (const LoopId loop : loops_of(item)) {
        if (is_reduction(loop) && !single(loop))
          return wrong(fmt::format(
              "cache_write: sums in fragments are attached to {}, inside of {}, which is a reduction",
              name(at), name(loop)));
        if (loop == at) return {};
      }
    }
    return {};
  }

  Status check_operation() const {
    const bool fragments = std::ranges::any_of(
        s_.stages(), [](const Stage& stage) { return stage.scope == loop_nest::BufferScope::Fragments; });
    if (!s_.tensorized())
      return fragments ? wrong("tensorize is missing: fragments are only used by a warp's operation")
                       : Status{};
    const Intrinsic& operation = *s_.tensorized()->intrinsic;
    if (operation.target != target_)
      return wrong(fmt::format("tensorize: {} is an operation of target {}, not of {}", operation.name,
                               to_string(operation.target), to_string(target_)));
    if (const task::OperandTypes types = task::operand_types(s_.op()); !(types == operation.types))
      return wrong(fmt::format("tensorize: {} does not support the operator's types", operation.name));
    const std::vector<LoopId>& taken = s_.tensorized()->loops;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const std::size_t from_behind = s_.order().size() - item_of(taken[i]);
      if (from_behind == 0 || from_behind > taken.size())
        return wrong(
            fmt::format("tensorize: {} replaces {}, which is not innermost", operation.name, name(taken[i])));
    }
    if (operation.form != IntrinsicForm::WarpMatrix) return {};
    if (s_.stages(StageKind::CacheRead, loop_nest::BufferScope::Fragments).size() != s_.op().inputs.size() ||
        s_.stages(StageKind::CacheWrite, loop_nest::BufferScope::Fragments).size() != 1)
      return wrong(
          fmt::format("cache_read or cache_write is missing: {} works on fragments of both inputs and "
                      "of the result",
                      operation.name));
    if (s_.stages(StageKind::CacheWrite, loop_nest::BufferScope::Shared).empty())
      return wrong("cache_write is missing: fragments are written to memory through shared memory");
    for (const Loop& loop : s_.loops())
      if (loop.binding == Binding::ThreadX)
        return wrong(
            fmt::format("bind: {} is bound to threads in x, which are the lanes of the warp that {} uses",
                        loop.name, operation.name));
    return check_fragment_sums();
  }

  /** Checks the stages between which Winograd's transforms run, and the loops that number them. */
  Status check_transform() const {
    if (!s_.tile_transform()) return {};
    const auto copies = s_.stages(StageKind::CacheRead, loop_nest::BufferScope::Local);
    const auto results = s_.stages(StageKind::CacheWrite, loop_nest::BufferScope::Local);
    if (copies.size() != 1 || copies.front()->tensor != 0 ||
        copies.front()->options.index != CopyIndex::Loops || results.size() != 1)
      return wrong(
          "transform_tiles: it needs a copy of the first input in local memory, numbered by loops, and "
          "results "
          "in local memory");
    if (s_.accumulator() == results.front())
      return wrong("transform_tiles: cache_write of registers must precede cache_write of local memory");
    const std::size_t rows = item_of(s_.tile_transform()->element_row);
    const std::size_t result = item_of(results.front()->at.loops.front());
    if (rows != result + 1 || item_of(s_.tile_transform()->element_column) != rows + 1 ||
        item_of(copies.front()->at.loops.front()) > result)
      return wrong(
          "transform_tiles: the loops over a transformed tile must follow the loop of the results, and the "
          "copy of the input must be made outside of it");
    for (std::size_t item = 0; item <= item_of(s_.accumulator()->at.loops.front()); ++item)
      for (const LoopId loop : loops_of(s_.order()[item]))
        if (is_reduction(loop) && !single(loop))
          return wrong(fmt::format("transform_tiles: {} is a reduction outside of the sums", name(loop)));
    return {};
  }

  /** Checks that no loop over the tile of the sums remains, because the sums are named registers. */
  Status check_cpu() const {
    for (const LoopId at : s_.accumulator()->at.loops) TRY(check_tile(at));
    return {};
  }

  Status check_tile(LoopId at) const {
    for (std::size_t item = item_of(at); item < s_.order().size(); ++item) {
      const std::vector<LoopId>& loops = loops_of(s_.order()[item]);
      auto first = loops.begin();
      if (item == item_of(at)) {
        if (s_.order()[item].permutation) continue;
        first = std::ranges::find(loops, at) + 1;
      }
      for (; first != loops.end(); ++first) {
        const Loop& loop = s_.loop(*first);
        if (is_reduction(*first) || single(*first) || loop.vectorized || loop.unrolled) continue;
        return wrong(fmt::format(
            "unroll or vectorize is missing: {} indexes the sums, which are in registers", loop.name));
      }
    }
    return {};
  }

  Status check_gpu() const {
    const bool threads = std::ranges::any_of(s_.loops(), [](const Loop& loop) {
      return place_of(loop.binding) == LoopPlace::Block || place_of(loop.binding) == LoopPlace::Thread;
    });
    if (!threads) return wrong("bind is missing: no loop is bound to blocks or threads of the GPU");
    return {};
  }

  const Schedule& s_;
  TargetKind target_;
};

}  // namespace

Status check_schedule(const Schedule& schedule, TargetKind target) { return Check(schedule, target).run(); }

}  // namespace kernelscape::schedule
