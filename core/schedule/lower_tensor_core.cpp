#include "core/schedule/lower_tensor_core.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/gpu_loops.h"
#include "core/schedule/resolved_record.h"

namespace kernelscape {
namespace {

constexpr std::int64_t most_result_lanes = 4;  ///< floats of one store

StatementPtr barrier() { return make_statement(Barrier{}); }

/** Lowers one configuration; built up in the order of the members. */
class TensorCoreLowering {
 public:
  TensorCoreLowering(const Schedule& schedule, const Configuration& configuration)
      : loops_(schedule, configuration), tile_(*schedule.tensor_core_tile()) {
    shape_ = {loops_.length(tile_.row), loops_.length(tile_.column), loops_.length(tile_.depth)};
    for (std::size_t i = 0; i < operands_.size(); ++i) add_operand(i);
    add_sum();
    add_result();
  }

  LoopNest run() && {
    StatementPtr multiply =
        make_sequence({copy_operands(), barrier(), wrap_steps(multiply_step()), barrier()});
    multiply = loops_.wrap(outer_loops_, std::move(multiply));
    for (std::size_t i = operands_.size(); i-- > 0;)
      multiply = make_statement(Allocate{operands_[i].shared.buffer, std::move(multiply)});
    const StatementPtr store = make_statement(
        Allocate{result_buffer_, make_sequence({each_sum(store_fragment()), barrier(), copy_result()})});
    StatementPtr body = make_sequence({each_sum(zero_fragment()), std::move(multiply), store});
    body = make_statement(Allocate{sum_buffer_, std::move(body)});
    loops_.nest().body = loops_.bind_launch(std::move(body));
    return std::move(loops_.nest());
  }

 private:
  /** An input on its way to the fragments: A, then B. */
  struct Operand {
    SharedTile shared;
    std::vector<LoopId> fragment_loops;  ///< of the warp's tiles: one
    int fragments = 0;                   ///< their buffer
    BufferAccess first;                  ///< of a fragment, in shared memory
    MatrixOrder order = MatrixOrder::RowMajor;
  };

  const Schedule& schedule() const { return loops_.schedule(); }

  bool in_fragment(LoopId loop) const {
    return loop == tile_.row || loop == tile_.column || loop == tile_.depth;
  }

  /** Whether a block's tile that is made inside `at` covers a loop: it is a thread's, or inside. */
  LoopFilter covered_by(LoopId at) const {
    return [this, place = loops_.position(at)](LoopId loop) {
      const GpuPlace where = loops_.place(loop);
      if (where == GpuPlace::Block) return false;
      return where != GpuPlace::Serial || loops_.position(loop) > place;
    };
  }

  /** The place of a fragment: what a filter covers, without what is inside of the fragment. */
  LoopFilter around_fragment(const LoopFilter& covered) const {
    return [this, covered](LoopId loop) { return covered(loop) && !in_fragment(loop); };
  }

  int add_shared_buffer(const std::string& name, std::size_t tensor, const std::vector<std::int64_t>& extents,
                        const std::vector<std::size_t>& order, std::int64_t row_elements) {
    Buffer buffer;
    buffer.name = name;
    buffer.element_type = to_string(tensor_access(schedule().op(), tensor).type);
    buffer.scope = BufferScope::Shared;
    buffer.written = true;
    for (const std::size_t dimension : order)
      if (extents[dimension] > 1 || dimension == order.back()) buffer.extents.push_back(extents[dimension]);
    buffer.extents.back() = row_elements;
    return loops_.add_buffer(std::move(buffer));
  }

  int add_fragments(const std::string& name, const std::string& type, const std::vector<LoopId>& loops) {
    Buffer buffer;
    buffer.name = name;
    buffer.element_type = type;
    buffer.scope = BufferScope::Fragments;
    buffer.written = true;
    for (const LoopId loop : loops) buffer.extents.push_back(loops_.length(loop));
    return loops_.add_buffer(std::move(buffer));
  }

  /** The fragment that these loops have come to. */
  BufferAccess fragment(int buffer, const std::vector<LoopId>& loops) const {
    std::vector<std::int64_t> extents;
    std::vector<IndexExpression> indices;
    for (const LoopId loop : loops) {
      const int variable = loops_.variable_of(loop);
      extents.push_back(loops_.length(loop));
      indices.push_back(variable == GpuLoops::no_variable ? IndexExpression(0)
                                                          : IndexExpression::variable(variable));
    }
    return {buffer, box_offset(extents, indices), 0};
  }

  /** Loops of a warp's fragments along an axis: inside the copies, around the fragment. */
  std::vector<LoopId> fragment_loops(LoopId of) const {
    const int axis = schedule().loop(of).axis;
    std::vector<LoopId> result;
    for (const LoopId loop : loops_.order())
      if (schedule().loop(loop).axis == axis && loops_.place(loop) == GpuPlace::Serial && !in_fragment(loop))
        result.push_back(loop);
    return result;
  }

  const SharedCopy& copy_of(std::size_t input) const {
    for (const SharedCopy& copy : schedule().shared_copies())
      if (static_cast<std::size_t>(copy.input) == input) return copy;
    throw std::logic_error("tensor cores read shared memory");
  }

  std::int64_t value_of(const std::optional<KnobId>& knob, std::int64_t otherwise) const {
    return knob ? schedule().knob_value(*knob, loops_.configuration()) : otherwise;
  }

  void add_operand(std::size_t input) {
    const SharedCopy& copy = copy_of(input);
    const LoopFilter covered = covered_by(copy.at);
    Operand& operand = operands_[input];
    const Buffer& tensor = loops_.nest().buffers[input];
    const std::string name = tensor.name;
    const std::string type = tensor.element_type;
    const std::vector<std::size_t> order = storage_order(tensor.layout);
    SharedTile& shared = operand.shared;
    shared.input = input;
    shared.tile = loops_.tile(input, covered);
    shared.row_elements = shared.tile.extents[order.back()] + value_of(copy.row_padding, 0);
    shared.lanes = value_of(copy.lanes_by, copy.lanes);
    shared.buffer =
        add_shared_buffer(name + "_shared", input, shared.tile.extents, order, shared.row_elements);
    operand.first = {shared.buffer,
                     padded_box_offset(shared.tile.extents, order, shared.row_elements,
                                       loops_.tile_indices(input, around_fragment(covered))),
                     0};
    operand.fragment_loops = fragment_loops(input == 0 ? tile_.row : tile_.column);
    operand.fragments = add_fragments(name + "_fragments", type, operand.fragment_loops);
    const LoopId line = input == 0 ? tile_.depth : tile_.column;  // what runs along a row
    operand.order = runs_along(input, order.back(), line) ? MatrixOrder::RowMajor : MatrixOrder::ColumnMajor;
    for (const LoopId loop : loops_.order())
      if (input == 0 && loops_.place(loop) == GpuPlace::Serial && !covered(loop))
        outer_loops_.push_back(loop);
  }

  /** Whether a loop's axis moves along a dimension of a tensor. */
  bool runs_along(std::size_t tensor, std::size_t dimension, LoopId loop) const {
    const AccessIndex& index = tensor_access(schedule().op(), tensor).indices[dimension];
    return index.coefficients[static_cast<std::size_t>(schedule().loop(loop).axis)] != 0;
  }

  void add_sum() {
    sum_loops_ = operands_[0].fragment_loops;
    sum_loops_.insert(sum_loops_.end(), operands_[1].fragment_loops.begin(),
                      operands_[1].fragment_loops.end());
    sum_buffer_ = add_fragments("sum", "f32", sum_loops_);
  }

  void add_result() {
    const SharedResult& result = schedule().shared_result().value();
    const std::size_t output = operands_.size();
    covered_result_ = covered_by(result.at);
    result_order_ = storage_order(loops_.nest().buffers[output].layout);
    if (!runs_along(output, result_order_.back(), tile_.column))
      throw std::logic_error("fragments are stored by rows");
    result_tile_ = loops_.tile(output, covered_result_);
    result_row_ = result_tile_.extents[result_order_.back()] + value_of(result.row_padding, 0);
    result_buffer_ = add_shared_buffer(loops_.nest().buffers[output].name + "_shared", output,
                                       result_tile_.extents, result_order_, result_row_);
    result_lanes_ = value_of(result.lanes, 1);
  }

  StatementPtr copy_operands() {
    std::vector<StatementPtr> copies;
    for (const Operand& operand : operands_) copies.push_back(cooperative_copy(loops_, operand.shared));
    return make_sequence(copies);
  }

  /** Around all fragments of these loops; their compiler unrolls them, so that fragments stay in registers.
   */
  StatementPtr each(const std::vector<LoopId>& loops, StatementPtr body) const {
    for (std::size_t i = loops.size(); i-- > 0;) {
      const int variable = loops_.variable_of(loops[i]);
      if (variable == GpuLoops::no_variable) continue;
      const std::int64_t count = loops_.length(loops[i]);
      body = make_statement(Loop{variable, 0, count, LoopKind::Serial, count, std::move(body)});
    }
    return body;
  }
  StatementPtr each_sum(StatementPtr body) const { return each(sum_loops_, std::move(body)); }

  BufferAccess sum() const { return fragment(sum_buffer_, sum_loops_); }

  StatementPtr zero_fragment() const {
    return make_statement(FragmentOperation{FragmentAction::SetZero, shape_, sum(), {}, 0, {}});
  }

  StatementPtr load(std::size_t input) const {
    const Operand& operand = operands_[input];
    return each(operand.fragment_loops,
                make_statement(FragmentOperation{input == 0 ? FragmentAction::LoadA : FragmentAction::LoadB,
                                                 shape_,
                                                 fragment(operand.fragments, operand.fragment_loops),
                                                 {operand.first},
                                                 operand.shared.row_elements,
                                                 {operand.order}}));
  }

  /** One step of a fragment's depth. */
  StatementPtr multiply_step() const {
    std::vector<BufferAccess> sources;
    std::vector<MatrixOrder> orders;
    for (const Operand& operand : operands_) {
      sources.push_back(fragment(operand.fragments, operand.fragment_loops));
      orders.push_back(operand.order);
    }
    const StatementPtr multiply = make_statement(FragmentOperation{
        FragmentAction::MultiplyAccumulate, shape_, sum(), std::move(sources), 0, std::move(orders)});
    StatementPtr step = make_sequence({load(0), load(1), each_sum(multiply)});
    for (std::size_t i = operands_.size(); i-- > 0;)
      step = make_statement(Allocate{operands_[i].fragments, std::move(step)});
    return step;
  }

  StatementPtr wrap_steps(StatementPtr step) const {
    std::vector<LoopId> steps;
    for (const LoopId loop : fragment_loops(tile_.depth))
      if (!contains(outer_loops_, loop)) steps.push_back(loop);
    return loops_.wrap(steps, std::move(step));
  }

  StatementPtr store_fragment() const {
    const LoopFilter around = around_fragment(covered_result_);
    const IndexExpression first = padded_box_offset(result_tile_.extents, result_order_, result_row_,
                                                    loops_.tile_indices(operands_.size(), around));
    return make_statement(FragmentOperation{FragmentAction::Store,
                                            shape_,
                                            {result_buffer_, first, 0},
                                            {sum()},
                                            result_row_,
                                            {MatrixOrder::RowMajor}});
  }

  StatementPtr copy_result() {
    const std::size_t output = operands_.size();
    const std::string name = loops_.nest().buffers[static_cast<std::size_t>(result_buffer_)].name;
    const auto copy = [&](const IndexExpression& element) {
      const std::vector<IndexExpression> inside =
          box_indices(result_tile_.extents, result_order_, element, loops_.ranges());
      std::vector<IndexExpression> indices = result_tile_.first;
      for (std::size_t d = 0; d < indices.size(); ++d) indices[d] += inside[d];
      const BufferAccess destination = loops_.global(output, indices);
      const IndexExpression source =
          padded_box_offset(result_tile_.extents, result_order_, result_row_, inside);
      return copy_lanes(destination, source);
    };
    return cooperate(loops_, name, result_tile_.elements() / result_lanes_, result_lanes_, copy);
  }

  /** A group of elements, in as few stores as there are. */
  StatementPtr copy_lanes(const BufferAccess& destination, const IndexExpression& source) const {
    const std::int64_t lanes = std::min(result_lanes_, most_result_lanes);
    const std::int64_t lane_stride = lanes > 1 ? 1 : 0;
    std::vector<StatementPtr> stores;
    for (std::int64_t first = 0; first < result_lanes_; first += lanes)
      stores.push_back(make_statement(
          Compute{Operation::Copy,
                  {destination.buffer, destination.offset + IndexExpression(first), lane_stride},
                  {{result_buffer_, source + IndexExpression(first), lane_stride}},
                  lanes,
                  {}}));
    return make_sequence(stores);
  }

  GpuLoops loops_;
  TensorCoreTile tile_;
  FragmentShape shape_;
  std::array<Operand, 2> operands_;
  std::vector<LoopId> outer_loops_;  ///< serial ones around the copies
  std::vector<LoopId> sum_loops_;
  int sum_buffer_ = 0;
  LoopFilter covered_result_;
  std::vector<std::size_t> result_order_;
  CopyTile result_tile_;
  std::int64_t result_row_ = 0;
  std::int64_t result_lanes_ = 1;
  int result_buffer_ = 0;
};

}  // namespace

LoopNest lower_tensor_core(const Schedule& schedule, const Configuration& configuration) {
  return TensorCoreLowering(schedule, configuration).run();
}

}  // namespace kernelscape
