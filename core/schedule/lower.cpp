#include "core/schedule/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/lowered_loops.h"
#include "core/schedule/resolved_record.h"

namespace kernelscape {
namespace {

/** Lowers one configuration; built up in the order of the members. */
class Lowering {
 public:
  Lowering(const Schedule& schedule, const Configuration& configuration, std::int64_t lanes)
      : loops_(schedule, configuration) {
    loops_.nest().vector_lanes = lanes;
    block_variable_ = loops_.add_variable("block", parallel_iterations());
    for (std::size_t axis = 0; axis < schedule.op().axes.size(); ++axis)
      axes_.push_back(axis_value(schedule.root(static_cast<int>(axis))));
    loops_.add_tensors();
    for (std::size_t i = 0; i <= schedule.op().inputs.size(); ++i) add_access(i);
    add_register_tile();
  }

  LoopNest run() && {
    const auto boundary = loops_.order().begin() + static_cast<std::ptrdiff_t>(register_boundary());
    const std::vector<LoopId> outer(loops_.order().begin(), boundary);
    const std::vector<LoopId> inner(boundary, loops_.order().end());
    loops_.nest().body = wrap_outer(outer, tile_body(outer, inner));
    return std::move(loops_.nest());
  }

 private:
  const Schedule& schedule() const { return loops_.schedule(); }
  const ScheduleLoop& loop(LoopId id) const { return schedule().loop(id); }
  std::int64_t length(LoopId id) const { return loops_.length(id); }
  bool is_reduction(LoopId id) const { return loops_.is_reduction(id); }
  bool runs(LoopId id) const { return loops_.variable_of(id) != LoweredLoops::no_variable; }
  IndexExpression variable(LoopId id) const { return IndexExpression::variable(loops_.variable_of(id)); }

  std::int64_t parallel_iterations() const {
    std::int64_t iterations = 1;
    for (const LoopId id : schedule().parallel_loops()) iterations *= length(id);
    return iterations;
  }

  /** A part that overhangs adds a condition. */
  IndexExpression axis_value(LoopId root) {
    const auto all = [](LoopId) { return true; };
    return loops_.value_of(root, all, [&](LoopId id, const IndexExpression& value) {
      (is_reduction(id) ? reduction_conditions_ : output_conditions_)
          .push_back(Condition{value, length(id), 1});
    });
  }

  void add_access(std::size_t number) {
    const TensorAccess& access = tensor_access(schedule().op(), number);
    const bool output = number == schedule().op().inputs.size();
    std::vector<IndexExpression> indices;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const AccessIndex& index = access.indices[d];
      const IndexExpression numerator = LoweredLoops::numerator(index, axes_);
      if (!holds_padding(schedule(), index))
        add_access_condition({numerator, access.shape[d], index.divisor}, output);
      indices.push_back(floor_divide(numerator, index.divisor, loops_.ranges()));
    }
    tensors_.push_back(loops_.global(number, indices));
  }

  void add_access_condition(const Condition& condition, bool output) {
    if (output || decide(condition, loops_.ranges()) == Certainty::Always) return;
    access_conditions_.push_back(condition);
  }

  std::size_t register_boundary() const {
    const std::optional<LoopId> at = schedule().registers_at();
    if (!at) throw std::logic_error("a CPU schedule accumulates in registers");
    // A permuted order moves the loop that the tile was put at: the tile lives inside the whole item.
    std::size_t boundary = 0;
    for (const OrderItem& item : schedule().order()) {
      boundary += item.choice ? item.alternatives.front().size() : item.loops.size();
      if (contains(item.loops, *at)) return boundary;
    }
    throw std::logic_error("the loop order misses the loop of the register tile");
  }

  bool in_tile(LoopId id) const { return !is_reduction(id) && runs(id); }

  void add_register_tile() {
    Buffer tile;
    tile.name = "sum";
    tile.element_type = to_string(schedule().op().accumulator);
    tile.scope = BufferScope::Registers;
    tile.written = true;
    std::vector<IndexExpression> place;
    for (std::size_t i = register_boundary(); i < loops_.order().size(); ++i) {
      const LoopId id = loops_.order()[i];
      if (!in_tile(id)) continue;
      tile.extents.push_back(length(id));
      place.push_back(variable(id));
    }
    sum_offset_ = box_offset(tile.extents, place);
    if (tile.extents.empty()) tile.extents.push_back(1);
    sum_buffer_ = loops_.add_buffer(std::move(tile));
  }

  BufferAccess sum() const { return {sum_buffer_, sum_offset_, 0}; }
  BufferAccess access(int number) const { return tensors_[static_cast<std::size_t>(number)]; }

  /** An input where one operation reads it: from the first element of a group on. */
  BufferAccess operand(int number) const {
    BufferAccess result = access(number);
    const std::optional<LoopId> group = schedule().dot_group();
    if (!group || !runs(*group)) return result;
    const int variable = loops_.variable_of(*group);
    if (result.offset.coefficient(variable) != 1)
      throw std::logic_error("a group of a dot product does not lie together");
    result.offset = result.offset.substitute(variable, IndexExpression(0), loops_.ranges());
    return result;
  }

  /** What the innermost statement does. */
  Compute accumulate() const {
    std::vector<Condition> all = output_conditions_;
    all.insert(all.end(), reduction_conditions_.begin(), reduction_conditions_.end());
    all.insert(all.end(), access_conditions_.begin(), access_conditions_.end());
    const std::optional<LoopId> group = schedule().dot_group();
    for (const Condition& condition : all)
      if (group && runs(*group) && condition.value.coefficient(loops_.variable_of(*group)) != 0)
        throw std::logic_error("a condition takes a group of a dot product apart");
    return {Operation::MultiplyAccumulate, sum(), {operand(0), operand(1)}, 1, std::move(all),
            group ? length(*group) : 1};
  }
  int output_number() const { return static_cast<int>(schedule().op().inputs.size()); }

  StatementPtr wrap(const std::vector<LoopId>& loops, StatementPtr body) const {
    return loops_.wrap(loops, std::move(body), [&](LoopId id, Loop& result) {
      result.kind = kind_of(id);
      if (const std::optional<KnobId> hint = loop(id).unroll_hint)
        result.unroll_hint = std::min(length(id), schedule().knob_value(*hint, loops_.configuration()));
    });
  }

  LoopKind kind_of(LoopId id) const {
    const ScheduleLoop& record = loop(id);
    if (record.vectorized) return LoopKind::Vectorized;
    return is_unrolled(schedule(), record, loops_.configuration()) ? LoopKind::Unrolled : LoopKind::Serial;
  }

  /** init; reductions; store. Inside: loops that do not belong to the tile's element are left out of init and
   * store. */
  StatementPtr tile_body(const std::vector<LoopId>& outer, const std::vector<LoopId>& inner) const {
    std::vector<LoopId> spatial;
    std::ranges::copy_if(inner, std::back_inserter(spatial), [&](LoopId id) { return !is_reduction(id); });
    std::vector<LoopId> accumulating = inner;
    if (schedule().dot_group()) std::erase(accumulating, *schedule().dot_group());

    const StatementPtr store =
        make_statement(Compute{Operation::Copy, access(output_number()), {sum()}, 1, output_conditions_});

    std::vector<StatementPtr> parts = start_tile(outer, spatial);
    parts.push_back(wrap(accumulating, make_statement(accumulate())));
    parts.push_back(wrap(spatial, store));
    return make_statement(Allocate{sum_buffer_, make_sequence(parts)});
  }

  /** Zero, or what earlier iterations of outer reductions left in the output. */
  std::vector<StatementPtr> start_tile(const std::vector<LoopId>& outer,
                                       const std::vector<LoopId>& spatial) const {
    const StatementPtr zero = make_statement(Compute{Operation::SetZero, sum(), {}, 1, {}});
    IndexExpression earlier;
    for (const LoopId id : outer)
      if (is_reduction(id) && runs(id)) earlier += variable(id);
    if (earlier.is_constant()) return {wrap(spatial, zero)};
    const std::int64_t last = earlier.range(loops_.ranges()).high;
    Compute first{Operation::SetZero, sum(), {}, 1, {{earlier, 1, 1}}};
    Compute again{Operation::Copy, sum(), {access(output_number())}, 1, output_conditions_};
    again.conditions.insert(again.conditions.begin(), Condition{earlier + IndexExpression(-1), last, 1});
    return {wrap(spatial, make_statement(std::move(first))), wrap(spatial, make_statement(std::move(again)))};
  }

  /** Parallel loops become one loop over blocks that the variables are decoded from. */
  StatementPtr wrap_outer(const std::vector<LoopId>& outer, StatementPtr body) const {
    std::vector<LoopId> parallel;
    std::vector<LoopId> serial;
    for (const LoopId id : outer) (loop(id).binding == Binding::Parallel ? parallel : serial).push_back(id);
    body = LoweredLoops::bind(loops_.decode(parallel, block_variable_), wrap(serial, std::move(body)));
    return make_statement(
        Loop{block_variable_, 0, parallel_iterations(), LoopKind::Parallel, 1, std::move(body)});
  }

  LoweredLoops loops_;
  int block_variable_ = 0;
  std::vector<IndexExpression> axes_;
  std::vector<Condition> output_conditions_;     ///< tiles of output axes that overhang
  std::vector<Condition> reduction_conditions_;  ///< tiles of reductions that overhang
  std::vector<Condition> access_conditions_;     ///< inputs that read padding
  std::vector<BufferAccess> tensors_;            ///< inputs in order, then the output
  int sum_buffer_ = 0;
  IndexExpression sum_offset_;
};

}  // namespace

LoopNest lower(const Schedule& schedule, const Configuration& configuration, std::int64_t lanes) {
  return Lowering(schedule, configuration, lanes).run();
}

}  // namespace kernelscape
