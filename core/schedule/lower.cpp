#include "core/schedule/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/resolved_record.h"

namespace kernelscape {
namespace {

/** Lowers one configuration; built up in the order of the members. */
class Lowering {
 public:
  Lowering(const Schedule& schedule, const Configuration& configuration, std::int64_t lanes)
      : schedule_(schedule), configuration_(configuration), order_(schedule.ordered_loops(configuration)) {
    nest_.vector_lanes = lanes;
    number_variables();
    for (std::size_t axis = 0; axis < schedule.op().axes.size(); ++axis)
      axes_.push_back(value_of(LoopId{static_cast<int>(axis)}));
    for (std::size_t i = 0; i <= schedule.op().inputs.size(); ++i) add_tensor(static_cast<int>(i));
    add_register_tile();
  }

  LoopNest run() && {
    const auto boundary = static_cast<std::ptrdiff_t>(register_boundary());
    const std::vector<LoopId> outer(order_.begin(), order_.begin() + boundary);
    const std::vector<LoopId> inner(order_.begin() + boundary, order_.end());
    nest_.body = wrap_outer(outer, tile_body(outer, inner));
    return std::move(nest_);
  }

 private:
  static constexpr int no_variable = -1;

  const ScheduleLoop& loop(LoopId id) const { return schedule_.loop(id); }
  std::int64_t length(LoopId id) const { return schedule_.length(id, configuration_); }
  bool is_reduction(LoopId id) const {
    return schedule_.op().axes[static_cast<std::size_t>(loop(id).axis)].reduction;
  }
  int variable_of(LoopId id) const { return variable_of_loop_[static_cast<std::size_t>(id.number)]; }

  int add_variable(const std::string& name, std::int64_t iterations) {
    nest_.variables.push_back(name);
    nest_.ranges.push_back({0, iterations - 1});
    return static_cast<int>(nest_.variables.size()) - 1;
  }

  /** Loops of one iteration have no variable: they are zero everywhere. */
  void number_variables() {
    variable_of_loop_.assign(schedule_.loops().size(), no_variable);
    for (const LoopId id : order_)
      if (length(id) > 1)
        variable_of_loop_[static_cast<std::size_t>(id.number)] = add_variable(loop(id).name, length(id));
    block_variable_ = add_variable("block", parallel_iterations());
  }

  std::int64_t parallel_iterations() const {
    std::int64_t iterations = 1;
    for (const LoopId id : schedule_.parallel_loops()) iterations *= length(id);
    return iterations;
  }

  /** The index along a loop before it was split; a part that overhangs adds a condition. */
  IndexExpression value_of(LoopId id) {
    const ScheduleLoop& record = loop(id);
    if (record.parts.empty()) {
      const int variable = variable_of(id);
      return variable == no_variable ? IndexExpression(0) : IndexExpression::variable(variable);
    }
    IndexExpression value;
    std::int64_t stride = 1;
    for (std::size_t i = record.parts.size(); i-- > 0;) {
      value += value_of(record.parts[i]) * stride;
      stride *= length(record.parts[i]);
    }
    if (stride > length(id)) {
      const Condition overhang{value, length(id), 1};
      (is_reduction(id) ? reduction_conditions_ : output_conditions_).push_back(overhang);
    }
    return value;
  }

  void add_tensor(int number) {
    const TensorAccess& access = tensor_access(schedule_.op(), static_cast<std::size_t>(number));
    Buffer buffer;
    buffer.name = access.tensor;
    buffer.element_type = to_string(access.type);
    buffer.written = static_cast<std::size_t>(number) == schedule_.op().inputs.size();
    buffer.layout = resolved_layout(schedule_, static_cast<std::size_t>(number), configuration_);
    std::vector<IndexExpression> indices;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const AccessIndex& index = access.indices[d];
      const IndexExpression numerator = index_of(index);
      if (!holds_padding(schedule_, index))
        add_access_condition({numerator, access.shape[d], index.divisor}, buffer.written);
      indices.push_back(floor_divide(numerator, index.divisor, nest_.ranges));
    }
    nest_.buffers.push_back(buffer);
    tensors_.push_back({number, layout_offset(buffer.layout, indices, nest_.ranges), 0});
  }

  IndexExpression index_of(const AccessIndex& index) const {
    IndexExpression value(index.offset);
    for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
      value += axes_[axis] * index.coefficients[axis];
    return value;
  }

  void add_access_condition(const Condition& condition, bool output) {
    if (output || decide(condition, nest_.ranges) == Truth::Always) return;
    access_conditions_.push_back(condition);
  }

  std::size_t register_boundary() const {
    const std::optional<LoopId> at = schedule_.registers_at();
    if (!at) throw std::logic_error("a CPU schedule accumulates in registers");
    // A permuted order moves the loop that the tile was put at: the tile lives inside the whole item.
    std::size_t boundary = 0;
    for (const OrderItem& item : schedule_.order()) {
      boundary += item.choice ? item.alternatives.front().size() : item.loops.size();
      if (contains(item.loops, *at)) return boundary;
    }
    throw std::logic_error("the loop order misses the loop of the register tile");
  }

  bool in_tile(LoopId id) const { return !is_reduction(id) && variable_of(id) != no_variable; }

  void add_register_tile() {
    Buffer tile;
    tile.name = "sum";
    tile.scope = BufferScope::Registers;
    tile.written = true;
    std::vector<LoopId> loops;
    for (std::size_t i = register_boundary(); i < order_.size(); ++i)
      if (in_tile(order_[i])) loops.push_back(order_[i]);
    std::int64_t stride = 1;
    for (std::size_t i = loops.size(); i-- > 0;) {
      sum_offset_ += IndexExpression::variable(variable_of(loops[i])) * stride;
      stride *= length(loops[i]);
    }
    for (const LoopId id : loops) tile.extents.push_back(length(id));
    if (tile.extents.empty()) tile.extents.push_back(1);
    sum_buffer_ = static_cast<int>(nest_.buffers.size());
    nest_.buffers.push_back(std::move(tile));
  }

  BufferAccess sum() const { return {sum_buffer_, sum_offset_, 0}; }
  BufferAccess access(int number) const { return tensors_[static_cast<std::size_t>(number)]; }
  int output_number() const { return static_cast<int>(schedule_.op().inputs.size()); }

  StatementPtr wrap(const std::vector<LoopId>& loops, StatementPtr body) const {
    for (std::size_t i = loops.size(); i-- > 0;) body = wrap_loop(loops[i], std::move(body));
    return body;
  }

  StatementPtr wrap_loop(LoopId id, StatementPtr body) const {
    const int variable = variable_of(id);
    if (variable == no_variable) return body;
    Loop result{variable, 0, length(id), kind_of(id), 1, std::move(body)};
    if (loop(id).unroll_hint)
      result.unroll_hint = std::min(length(id), schedule_.knob_value(*loop(id).unroll_hint, configuration_));
    return make_statement(std::move(result));
  }

  LoopKind kind_of(LoopId id) const {
    const ScheduleLoop& record = loop(id);
    if (record.vectorized) return LoopKind::Vectorized;
    return is_unrolled(schedule_, record, configuration_) ? LoopKind::Unrolled : LoopKind::Serial;
  }

  /** init; reductions; store. Inside: loops that do not belong to the tile's element are left out of init and
   * store. */
  StatementPtr tile_body(const std::vector<LoopId>& outer, const std::vector<LoopId>& inner) const {
    std::vector<LoopId> spatial;
    std::ranges::copy_if(inner, std::back_inserter(spatial), [&](LoopId id) { return !is_reduction(id); });

    std::vector<Condition> all = output_conditions_;
    all.insert(all.end(), reduction_conditions_.begin(), reduction_conditions_.end());
    all.insert(all.end(), access_conditions_.begin(), access_conditions_.end());
    const StatementPtr accumulate = make_statement(
        Compute{Operation::MultiplyAccumulate, sum(), {access(0), access(1)}, 1, std::move(all)});
    const StatementPtr store =
        make_statement(Compute{Operation::Copy, access(output_number()), {sum()}, 1, output_conditions_});

    std::vector<StatementPtr> parts = start_tile(outer, spatial);
    parts.push_back(wrap(inner, accumulate));
    parts.push_back(wrap(spatial, store));
    return make_statement(Allocate{sum_buffer_, make_sequence(parts)});
  }

  /** Zero, or what earlier iterations of outer reductions left in the output. */
  std::vector<StatementPtr> start_tile(const std::vector<LoopId>& outer,
                                       const std::vector<LoopId>& spatial) const {
    const StatementPtr zero = make_statement(Compute{Operation::SetZero, sum(), {}, 1, {}});
    IndexExpression earlier;
    for (const LoopId id : outer)
      if (is_reduction(id) && variable_of(id) != no_variable)
        earlier += IndexExpression::variable(variable_of(id));
    if (earlier.is_constant()) return {wrap(spatial, zero)};
    const std::int64_t last = earlier.range(nest_.ranges).high;
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
    body = wrap(serial, std::move(body));
    std::int64_t stride = 1;
    for (std::size_t i = parallel.size(); i-- > 0;) {
      const int variable = variable_of(parallel[i]);
      if (variable == no_variable) continue;
      IndexExpression value = floor_divide(IndexExpression::variable(block_variable_), stride, nest_.ranges);
      value = modulo(value, length(parallel[i]), nest_.ranges);
      body = make_statement(Let{variable, std::move(value), std::move(body)});
      stride *= length(parallel[i]);
    }
    return make_statement(
        Loop{block_variable_, 0, parallel_iterations(), LoopKind::Parallel, 1, std::move(body)});
  }

  const Schedule& schedule_;
  const Configuration& configuration_;
  std::vector<LoopId> order_;
  LoopNest nest_;
  std::vector<int> variable_of_loop_;
  int block_variable_ = no_variable;
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
