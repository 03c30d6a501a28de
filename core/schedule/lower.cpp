#include "core/schedule/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"
#include "core/schedule/lowered_loops.h"
#include "core/schedule/resolved_record.h"
#include "core/schedule/stage_copies.h"
#include "core/schedule/tile_transform.h"

namespace kernelscape::schedule {
namespace {

/** Used if no knob sets it: enough to keep a thread's sums in registers, which no loop may index. */
constexpr std::int64_t usual_unroll_steps = 512;

loop_nest::StatementPtr barrier() { return loop_nest::make_statement(loop_nest::Barrier{}); }

bool any(LoopId) { return true; }

/** Lowers one configuration; its members are filled in their order. */
class Lowering {
 public:
  Lowering(const Schedule& schedule, const space::Configuration& configuration,
           const TargetDescription& target)
      : loops_(schedule, configuration, target.kind) {
    if (loops_.on_cpu()) loops_.nest().vector_lanes = target.vector_lanes_f32();
    loops_.nest().separate_last_blocks = schedule.separates_last_blocks();
    for (std::size_t axis = 0; axis < schedule.op().axes.size(); ++axis)
      axes_.push_back(axis_value(schedule.root(static_cast<int>(axis))));
    order_loops();
    add_copies();
    add_operands();
    add_sum();
    add_results();
    for (const Stage* stage : schedule.stages(StageKind::CacheWrite, loop_nest::BufferScope::Shared))
      result_tile_ = make_result_tile(loops_, *stage);
  }

  loop_nest::LoopNest run() && {
    loop_nest::StatementPtr body = loops_.launch(inside(0));
    if (!result_tile_)
      for (const PlacedCopy& placed : copies_)
        if (placed.shared())
          body = loop_nest::make_statement(loop_nest::Allocate{placed.copy.buffer, std::move(body)});
    loops_.nest().body = std::move(body);
    return std::move(loops_.nest());
  }

 private:
  /** A copy of an input, and the place where it is made. */
  struct PlacedCopy {
    InputCopy copy;
    std::optional<std::size_t> from;  ///< the copy that it is made from; nullopt: the tensor
    std::size_t level = 0;            ///< number of serial loops around it
    loop_nest::StatementPtr fill;     ///< statement that fills a copy private to a thread
    bool placed = false;

    bool shared() const { return copy.stage->scope == loop_nest::BufferScope::Shared; }
  };

  const Schedule& schedule() const { return loops_.schedule(); }
  std::size_t output() const { return schedule().op().inputs.size(); }

  bool in_fragments() const {
    const std::optional<Tensorized>& tensorized = schedule().tensorized();
    return tensorized && tensorized->intrinsic->form == IntrinsicForm::WarpMatrix;
  }

  /** Returns true if the loop is replaced by the machine's operation. */
  bool in_operation(LoopId loop) const {
    return schedule().tensorized() && loop_nest::contains(schedule().tensorized()->loops, loop);
  }

  // --- loops ---

  /** Returns the index of an axis. A part that overhangs adds a condition. */
  loop_nest::IndexExpression axis_value(LoopId root) {
    return loops_.value_of(root, any, [&](LoopId id, const loop_nest::IndexExpression& value) {
      if (!loops_.on_cpu())
        throw std::logic_error(
            fmt::format("the tiles of {} overhang, which no GPU kernel handles", schedule().loop(id).name));
      const loop_nest::Condition condition{value, loops_.length(id), 1};
      std::vector<loop_nest::Condition>& conditions =
          loops_.is_reduction(id) ? reduction_conditions_ : output_conditions_;
      if (!loop_nest::contains(conditions, condition)) conditions.push_back(condition);
    });
  }

  /**
   * Orders the loops of one thread: virtual threads are inside the last reduction and around the thread's own
   * serial loops.
   */
  void order_loops() {
    std::vector<LoopId> virtual_threads;
    std::size_t inside_reductions = 0;
    for (const LoopId loop : loops_.order()) {
      if (in_operation(loop)) continue;
      if (loops_.place(loop) == LoopPlace::VirtualThread) virtual_threads.push_back(loop);
      if (loops_.place(loop) != LoopPlace::Serial) continue;
      serial_.push_back(loop);
      if (loops_.is_reduction(loop)) inside_reductions = serial_.size();
    }
    virtual_level_ = inside_reductions;
    virtual_threads_ = virtual_threads.size();
    serial_.insert(serial_.begin() + static_cast<std::ptrdiff_t>(inside_reductions), virtual_threads.begin(),
                   virtual_threads.end());
  }

  /** Returns the number of serial loops around a stage that is attached to a loop of the order. */
  std::size_t level_of(LoopId at) const {
    const std::size_t place = loops_.position(at);
    std::size_t level = 0;
    for (std::size_t i = 0; i <= place; ++i) {
      const LoopId loop = loops_.order()[i];
      if (!in_operation(loop) && loops_.place(loop) == LoopPlace::Serial) ++level;
    }
    return level > virtual_level_ ? level + virtual_threads_ : level;
  }

  // --- buffers ---

  void add_copies() {
    for (const Stage& stage : schedule().stages()) {
      if (stage.kind != StageKind::CacheRead ||
          schedule().attached_at(stage, loops_.configuration()) == nowhere)
        continue;
      PlacedCopy placed{
          make_copy(loops_, stage), copy_of(static_cast<std::size_t>(stage.tensor)), 0, {}, false};
      placed.level = level_of(placed.copy.at);
      copies_.push_back(std::move(placed));
      PlacedCopy& added = copies_.back();
      const InputCopy* from = added.from ? &copies_[*added.from].copy : nullptr;
      if (stage.scope == loop_nest::BufferScope::Fragments)
        added.fill = load_fragments(added.copy, *from);
      else if (!added.shared() && !schedule().tile_transform())
        added.fill = fill_copy(loops_, added.copy, from);
    }
  }

  /** Returns the last copy of an input, which the sums read. */
  std::optional<std::size_t> copy_of(std::size_t input) const {
    for (std::size_t i = copies_.size(); i-- > 0;)
      if (copies_[i].copy.input() == input) return i;
    return std::nullopt;
  }

  void add_operands() {
    for (std::size_t input = 0; input < output(); ++input) {
      if (const std::optional<std::size_t> copy = copy_of(input)) {
        const InputCopy& held = copies_[*copy].copy;
        operands_.push_back({held.buffer, place_in(loops_, held, any), 0});
        continue;
      }
      GlobalRead read = global_read(loops_, input, axes_);
      operands_.push_back(std::move(read.access));
      access_conditions_.insert(access_conditions_.end(), read.conditions.begin(), read.conditions.end());
    }
  }

  void add_sum() {
    const Stage* sums = schedule().accumulator();
    if (sums == nullptr)
      throw std::logic_error("cache_write is missing: it sets the loop in which sums accumulate");
    tile_level_ = level_of(schedule().attached_at(*sums, loops_.configuration()));
    for (const LoopPlace place : {LoopPlace::VirtualThread, LoopPlace::Serial})
      for (std::size_t i = tile_level_; i < serial_.size(); ++i)
        if (loops_.place(serial_[i]) == place && !loops_.is_reduction(serial_[i]))
          sum_loops_.push_back(serial_[i]);
    const std::string type = task::to_string(schedule().op().accumulator);
    if (sums->scope == loop_nest::BufferScope::Fragments) {
      sum_ = {add_fragments(loops_, "sum", type, sum_loops_), place_by(loops_, sum_loops_), 0};
      return;
    }
    loop_nest::Buffer tile;
    tile.name = "sum";
    tile.element_type = type;
    tile.scope = loop_nest::BufferScope::Registers;
    tile.written = true;
    for (const LoopId loop : sum_loops_)
      if (loops_.runs(loop)) tile.extents.push_back(loops_.length(loop));
    if (tile.extents.empty()) tile.extents.push_back(1);
    sum_ = {loops_.add_buffer(std::move(tile)), place_by(loops_, sum_loops_), 0};
  }

  /**
   * Adds results in local memory: those between Winograd's transforms, whose temporaries follow the buffers
   * of the stages, or those that wait for complete sums.
   */
  void add_results() {
    const auto stages = schedule().stages(StageKind::CacheWrite, loop_nest::BufferScope::Local);
    if (stages.empty()) return;
    const Stage& stage = *stages.front();
    const LoopId at = schedule().attached_at(stage, loops_.configuration());
    if (at == nowhere) return;
    result_level_ = level_of(at);
    if (!schedule().tile_transform()) {
      kept_results_ = make_kept_results(loops_, stage);
      write_results_ = write_kept_results(loops_, *kept_results_, finished(result()));
      return;
    }
    results_ = make_transformed_results(loops_, stage);
    copies_.front().fill = transform_input(loops_, copies_.front().copy);
    write_results_ = transform_results(loops_, stage, *results_);
  }

  // --- the innermost operations ---

  /**
   * Returns the access of one operation to an input: for a dot product from the first element of a group on.
   */
  loop_nest::BufferAccess operand(std::size_t number) const {
    loop_nest::BufferAccess result = operands_[number];
    const std::optional<LoopId> group = schedule().dot_group();
    if (!group || !loops_.runs(*group)) return result;
    const int variable = loops_.variable_of(*group);
    if (result.offset.coefficient(variable) != 1)
      throw std::logic_error("a group of a dot product is not contiguous in memory");
    result.offset = result.offset.substitute(variable, loop_nest::IndexExpression(0), loops_.ranges());
    return result;
  }

  loop_nest::StatementPtr multiply() const {
    if (in_fragments()) return multiply_fragments();
    std::vector<loop_nest::Condition> all = output_conditions_;
    all.insert(all.end(), reduction_conditions_.begin(), reduction_conditions_.end());
    all.insert(all.end(), access_conditions_.begin(), access_conditions_.end());
    const std::optional<LoopId> group = schedule().dot_group();
    for (const loop_nest::Condition& condition : all)
      if (group && loops_.runs(*group) && condition.value.coefficient(loops_.variable_of(*group)) != 0)
        throw std::logic_error("a condition splits a group of a dot product");
    loop_nest::Compute sum{
        loop_nest::Operation::MultiplyAccumulate, sum_, {operand(0), operand(1)}, 1, std::move(all),
        group ? loops_.length(*group) : 1};
    sum.by_elements = schedule().multiplies_elements(loops_.configuration());
    return loop_nest::make_statement(std::move(sum));
  }

  // --- a warp's matrices ---

  loop_nest::FragmentShape shape() const {
    const std::vector<LoopId>& tile = schedule().tensorized()->loops;
    return {loops_.length(tile[0]), loops_.length(tile[1]), loops_.length(tile[2])};
  }

  /** Returns the order of an operand in shared memory: whether A's depth or B's columns are consecutive. */
  loop_nest::MatrixOrder order_of(const InputCopy& shared) const {
    const std::vector<LoopId>& tile = schedule().tensorized()->loops;
    return runs_along(shared.input(), shared.box.order.back(), tile[shared.input() == 0 ? 2 : 1])
               ? loop_nest::MatrixOrder::RowMajor
               : loop_nest::MatrixOrder::ColumnMajor;
  }

  bool runs_along(std::size_t tensor, std::size_t dimension, LoopId loop) const {
    const task::AccessIndex& index = tensor_access(schedule().op(), tensor).indices[dimension];
    return index.coefficients[static_cast<std::size_t>(schedule().loop(loop).axis)] != 0;
  }

  loop_nest::StatementPtr load_fragments(const InputCopy& copy, const InputCopy& from) const {
    const LoopFilter around = [this](LoopId loop) { return !in_operation(loop); };
    const loop_nest::FragmentAction action =
        copy.input() == 0 ? loop_nest::FragmentAction::LoadA : loop_nest::FragmentAction::LoadB;
    return loops_.wrap(copy.indexed, loop_nest::make_statement(loop_nest::FragmentOperation{
                                         action,
                                         shape(),
                                         {copy.buffer, place_by(loops_, copy.indexed), 0},
                                         {{from.buffer, place_in(loops_, from, around), 0}},
                                         from.box.row_elements,
                                         {order_of(from)}}));
  }

  loop_nest::StatementPtr multiply_fragments() const {
    std::vector<loop_nest::MatrixOrder> orders;
    for (std::size_t input = 0; input < output(); ++input)
      orders.push_back(order_of(copies_[*copies_[*copy_of(input)].from].copy));
    return loop_nest::make_statement(loop_nest::FragmentOperation{
        loop_nest::FragmentAction::MultiplyAccumulate, shape(), sum_, operands_, 0, std::move(orders)});
  }

  // --- the tile of the sums ---

  /**
   * Returns the statements that start the sums: with zero, or with the output of earlier iterations of outer
   * reductions.
   */
  std::vector<loop_nest::StatementPtr> start_sums() const {
    if (in_fragments())
      return {loops_.wrap(sum_loops_, loop_nest::make_statement(loop_nest::FragmentOperation{
                                          loop_nest::FragmentAction::SetZero, shape(), sum_, {}, 0, {}}))};
    const loop_nest::IndexExpression earlier = outer_reductions();
    loop_nest::Compute zero{loop_nest::Operation::SetZero, sum_, {}, 1, {}};
    if (earlier.is_constant()) return {loops_.wrap(sum_loops_, loop_nest::make_statement(std::move(zero)))};
    const std::int64_t last = earlier.range(loops_.ranges()).high;
    zero.conditions = {{earlier, 1, 1}};
    loop_nest::Compute again{loop_nest::Operation::Copy, sum_, {result()}, 1, output_conditions_};
    again.conditions.insert(again.conditions.begin(),
                            loop_nest::Condition{earlier + loop_nest::IndexExpression(-1), last, 1});
    return {loops_.wrap(sum_loops_, loop_nest::make_statement(std::move(zero))),
            loops_.wrap(sum_loops_, loop_nest::make_statement(std::move(again)))};
  }

  /** Returns the sum of the indices of the reductions around the tile; 0 in the first iteration. */
  loop_nest::IndexExpression outer_reductions() const {
    loop_nest::IndexExpression earlier;
    for (std::size_t i = 0; i < tile_level_; ++i)
      if (loops_.is_reduction(serial_[i])) earlier += loops_.index_of(serial_[i]);
    return earlier;
  }

  /** Returns the element in which a sum is stored: of the output, or of results in local memory. */
  loop_nest::BufferAccess result() const {
    if (results_) return {results_->buffer, transformed_place(loops_, results_->numbered), 0};
    if (kept_results_) return {kept_results_->buffer, place_by(loops_, kept_results_->numbered), 0};
    return global_read(loops_, output(), axes_).access;
  }

  /** Returns the operation that moves a complete sum to the output and applies the epilogue to it. */
  loop_nest::Compute finished(loop_nest::BufferAccess sum) const {
    const task::TensorOperator& op = schedule().op();
    loop_nest::Compute finish{loop_nest::Operation::Copy,
                              global_read(loops_, output(), axes_).access,
                              {std::move(sum)},
                              1,
                              output_conditions_};
    if (op.epilogue.empty()) return finish;
    finish.epilogue = op.epilogue;
    std::vector<loop_nest::IndexExpression> indices;
    for (const task::AccessIndex& index : op.output.indices)
      indices.push_back(LoweredLoops::numerator(index, axes_));
    for (loop_nest::BufferAccess& operand : loops_.operands_at(indices))
      finish.sources.push_back(std::move(operand));
    return finish;
  }

  loop_nest::StatementPtr store_sums() {
    if (!result_tile_) return store_in_output();
    if (!schedule().op().epilogue.empty())
      throw std::logic_error("results in shared memory are stored without an epilogue");
    const int tile = result_tile_->buffer;
    return loop_nest::make_statement(loop_nest::Allocate{
        tile, loop_nest::make_sequence({loops_.wrap(sum_loops_, store_in_tile()), barrier(),
                                        store_result(loops_, *result_tile_)})});
  }

  /** Stores sums, to which the epilogue is applied in the last iteration of the reductions around them. */
  loop_nest::StatementPtr store_in_output() const {
    loop_nest::Compute store{loop_nest::Operation::Copy, result(), {sum_}, 1, output_conditions_};
    // What moves results from local memory to the output applies the epilogue instead.
    if (results_ || kept_results_ || schedule().op().epilogue.empty())
      return loops_.wrap(sum_loops_, loop_nest::make_statement(std::move(store)));
    loop_nest::Compute finish = finished(sum_);
    const loop_nest::IndexExpression earlier = outer_reductions();
    if (earlier.is_constant()) return loops_.wrap(sum_loops_, loop_nest::make_statement(std::move(finish)));
    const std::int64_t last = earlier.range(loops_.ranges()).high;
    store.conditions.insert(store.conditions.begin(), loop_nest::Condition{earlier, last, 1});
    finish.conditions.insert(finish.conditions.begin(),
                             loop_nest::Condition{earlier + loop_nest::IndexExpression(-last), 1, 1});
    return loop_nest::make_sequence({loops_.wrap(sum_loops_, loop_nest::make_statement(std::move(store))),
                                     loops_.wrap(sum_loops_, loop_nest::make_statement(std::move(finish)))});
  }

  loop_nest::StatementPtr store_in_tile() const {
    const LoopFilter held = [this](LoopId loop) {
      return result_tile_->held(loop) && !(in_fragments() && in_operation(loop));
    };
    const loop_nest::BufferAccess place{result_tile_->buffer,
                                        place_in_box(loops_, output(), result_tile_->box, held), 0};
    if (!in_fragments())
      return loop_nest::make_statement(loop_nest::Compute{loop_nest::Operation::Copy, place, {sum_}, 1, {}});
    const std::vector<LoopId>& tile = schedule().tensorized()->loops;
    if (!runs_along(output(), result_tile_->box.order.back(), tile[1]))
      throw std::logic_error("fragments are stored by rows");
    return loop_nest::make_statement(loop_nest::FragmentOperation{loop_nest::FragmentAction::Store,
                                                                  shape(),
                                                                  place,
                                                                  {sum_},
                                                                  result_tile_->box.row_elements,
                                                                  {loop_nest::MatrixOrder::RowMajor}});
  }

  /**
   * Returns start, reductions and store. Loops that do not index the tile's elements are omitted from start
   * and store.
   */
  loop_nest::StatementPtr sums() {
    sums_placed_ = true;
    std::vector<loop_nest::StatementPtr> parts = start_sums();
    loop_nest::StatementPtr reductions = inside(tile_level_);
    // A result in shared memory takes the place of the copies, which are only alive around the reductions.
    if (result_tile_)
      for (std::size_t i = copies_.size(); i-- > 0;)
        if (copies_[i].shared())
          reductions =
              loop_nest::make_statement(loop_nest::Allocate{copies_[i].copy.buffer, std::move(reductions)});
    parts.push_back(std::move(reductions));
    parts.push_back(store_sums());
    return loop_nest::make_statement(loop_nest::Allocate{sum_.buffer, loop_nest::make_sequence(parts)});
  }

  // --- loops with the stages attached to them ---

  /** Returns the statement inside the first `level` serial loops. */
  loop_nest::StatementPtr inside(std::size_t level) {
    if (write_results_ && level == result_level_) {
      const loop_nest::StatementPtr write = std::exchange(write_results_, nullptr);
      const int buffer = results_ ? results_->buffer : kept_results_->buffer;
      return loop_nest::make_statement(
          loop_nest::Allocate{buffer, loop_nest::make_sequence({inside(level), write})});
    }
    if (level == tile_level_ && !sums_placed_) return sums();
    if (const std::vector<PlacedCopy*> shared = open(level, true); !shared.empty())
      return staged(level, shared);
    if (const std::vector<PlacedCopy*> own = open(level, false); !own.empty()) return attached(level, own);
    if (level == serial_.size()) return multiply();
    if (const std::vector<PlacedCopy*> shared = open(level + 1, true); doubled(shared))
      return pipelined(level, shared);
    return loops_.wrap({serial_[level]}, inside(level + 1));
  }

  /** Returns the copies that are attached at this level and not placed yet. */
  std::vector<PlacedCopy*> open(std::size_t level, bool shared) {
    std::vector<PlacedCopy*> result;
    for (PlacedCopy& placed : copies_)
      if (!placed.placed && placed.level == level && placed.shared() == shared) result.push_back(&placed);
    return result;
  }

  /**
   * Returns the statement with a thread's private copies: each at the place where it is filled, a warp's
   * fragments together.
   */
  loop_nest::StatementPtr attached(std::size_t level, const std::vector<PlacedCopy*>& own) {
    std::vector<PlacedCopy*> together{own.front()};
    if (own.front()->copy.stage->scope == loop_nest::BufferScope::Fragments) together = own;
    std::vector<loop_nest::StatementPtr> parts;
    for (PlacedCopy* placed : together) {
      placed->placed = true;
      parts.push_back(placed->fill);
    }
    parts.push_back(inside(level));
    loop_nest::StatementPtr result = loop_nest::make_sequence(parts);
    for (std::size_t i = together.size(); i-- > 0;)
      result = loop_nest::make_statement(loop_nest::Allocate{together[i]->copy.buffer, std::move(result)});
    return result;
  }

  loop_nest::StatementPtr fill_shared(const std::vector<PlacedCopy*>& shared) {
    std::vector<loop_nest::StatementPtr> fills;
    for (PlacedCopy* placed : shared) {
      placed->placed = true;
      fills.push_back(fill_copy(loops_, placed->copy, nullptr));
    }
    return loop_nest::make_sequence(fills);
  }

  /** Returns true if an outer iteration may still be reading the data that would be overwritten. */
  bool repeated(std::size_t level) const {
    return std::ranges::any_of(serial_.begin(), serial_.begin() + static_cast<std::ptrdiff_t>(level),
                               [&](LoopId loop) { return loops_.runs(loop); });
  }

  /** Returns true if the loop around this level fills one of two copies while the other is read. */
  bool doubled(const std::vector<PlacedCopy*>& shared) const {
    return !shared.empty() && shared.front()->copy.stage->options.copies > 1 &&
           loops_.runs(shared.front()->copy.at);
  }

  loop_nest::StatementPtr staged(std::size_t level, const std::vector<PlacedCopy*>& shared) {
    std::vector<loop_nest::StatementPtr> parts;
    // The next user of the memory, another iteration or the result, waits until all threads have read.
    const bool wait_behind = result_tile_.has_value();
    if (!wait_behind && repeated(level)) parts.push_back(barrier());
    parts.push_back(fill_shared(shared));
    parts.push_back(barrier());
    parts.push_back(inside(level));
    if (wait_behind) parts.push_back(barrier());
    return loop_nest::make_sequence(parts);
  }

  /**
   * Returns a loop with double buffering: while a tile is read, the next one is loaded into the other copy.
   */
  loop_nest::StatementPtr pipelined(std::size_t level, const std::vector<PlacedCopy*>& shared) {
    const LoopId loop = serial_[level];
    const int variable = loops_.variable_of(loop);
    const std::int64_t last = loops_.length(loop) - 1;
    const loop_nest::StatementPtr fill = fill_shared(shared);
    const loop_nest::StatementPtr use = inside(level + 1);
    const auto at = [&](const loop_nest::StatementPtr& statement, const loop_nest::IndexExpression& value) {
      return loop_nest::substitute(statement, variable, value, loops_.ranges());
    };
    std::vector<loop_nest::StatementPtr> parts;
    const bool wait_behind = result_tile_.has_value();
    if (!wait_behind && repeated(level)) parts.push_back(barrier());
    parts.push_back(at(fill, 0));
    const loop_nest::IndexExpression next =
        loop_nest::IndexExpression::variable(variable) + loop_nest::IndexExpression(1);
    parts.push_back(loop_nest::make_statement(
        loop_nest::Loop{variable, 0, last, loop_nest::LoopKind::Serial, 1,
                        loop_nest::make_sequence({barrier(), at(fill, next), use})}));
    parts.push_back(barrier());
    parts.push_back(at(use, last));
    if (wait_behind) parts.push_back(barrier());
    return loop_nest::make_sequence(parts);
  }

  LoweredLoops loops_;
  std::vector<loop_nest::IndexExpression> axes_;
  std::vector<loop_nest::Condition> output_conditions_;     ///< tiles of output axes that overhang
  std::vector<loop_nest::Condition> reduction_conditions_;  ///< tiles of reductions that overhang
  std::vector<loop_nest::Condition> access_conditions_;     ///< accesses to inputs that may read padding
  std::vector<LoopId> serial_;                              ///< loops of a thread, outermost first
  std::size_t virtual_level_ = 0;  ///< number of serial loops around the virtual threads
  std::size_t virtual_threads_ = 0;
  std::vector<PlacedCopy> copies_;
  std::vector<loop_nest::BufferAccess> operands_;  ///< accesses of the innermost statement to the inputs
  std::size_t tile_level_ = 0;                     ///< number of serial loops around the tile of the sums
  bool sums_placed_ = false;
  std::vector<LoopId> sum_loops_;  ///< loops that number the sums
  loop_nest::BufferAccess sum_;
  std::optional<ResultTile> result_tile_;
  std::optional<TransformedTile> results_;   ///< sums before Winograd's transform
  std::optional<KeptResults> kept_results_;  ///< sums that wait in local memory until they are complete
  std::size_t result_level_ = 0;             ///< number of serial loops around results in local memory
  loop_nest::StatementPtr write_results_;    ///< moves them to the output; until it is placed
};

}  // namespace

loop_nest::LoopNest lower(const Schedule& schedule, const space::Configuration& configuration,
                          const TargetDescription& target) {
  loop_nest::LoopNest nest = Lowering(schedule, configuration, target).run();
  const std::optional<Tensorized>& tensorized = schedule.tensorized();
  const bool fragments = tensorized && tensorized->intrinsic->form == IntrinsicForm::WarpMatrix;
  if (target.kind == TargetKind::Cpu || fragments) return nest;
  const std::optional<AutoUnroll>& unrolling = schedule.unrolling();
  if (!unrolling) return loop_nest::auto_unroll(nest, usual_unroll_steps, false);
  return loop_nest::auto_unroll(nest, schedule.knob_value(unrolling->max_steps, configuration),
                                schedule.knob_value(unrolling->in_source, configuration) == 1);
}

}  // namespace kernelscape::schedule
