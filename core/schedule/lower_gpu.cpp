#include "core/schedule/lower_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"
#include "core/schedule/gpu_loops.h"
#include "core/schedule/lower_tensor_core.h"

namespace kernelscape {
namespace {

/** Where no knob says it: enough to keep a thread's sums in registers, which no loop may index. */
constexpr std::int64_t usual_unroll_steps = 512;

/** Lowers one configuration; built up in the order of the members. */
class GpuLowering {
 public:
  GpuLowering(const Schedule& schedule, const Configuration& configuration)
      : loops_(schedule, configuration) {
    for (const LoopId loop : loops_.order()) {
      if (loops_.place(loop) == GpuPlace::Serial) serial_.push_back(loop);
      if (loops_.place(loop) == GpuPlace::VirtualThread) virtual_.push_back(loop);
    }
    place_virtual_threads();
    add_sum();
    for (std::size_t i = 0; i < schedule.op().inputs.size(); ++i) operands_.push_back(global_operand(i));
    for (const SharedCopy& copy : schedule.shared_copies()) add_shared(copy);
    for (const RegisterCopy& copy : schedule.register_copies()) add_register_copy(copy);
  }

  LoopNest run() && {
    StatementPtr body = make_sequence({store_loops(zero()), accumulate(0), store_loops(store())});
    body = make_statement(Allocate{sum_buffer_, std::move(body)});
    body = loops_.bind_launch(std::move(body));
    for (const Staged& staged : shared_) body = make_statement(Allocate{staged.tile.buffer, std::move(body)});
    loops_.nest().body = std::move(body);
    return std::move(loops_.nest());
  }

 private:
  /** A shared tile and the loop whose iterations fill it. */
  struct Staged {
    SharedTile tile;
    std::size_t level = 0;  ///< serial loops around it
    std::int64_t copies = 1;
    LoopId at;
  };
  /** A thread's copy in registers. */
  struct Held {
    std::size_t input = 0;
    int buffer = 0;
    std::size_t level = 0;
    StatementPtr fill;
  };

  const Schedule& schedule() const { return loops_.schedule(); }

  /** Virtual threads run inside the last reduction, around what a thread does in a row. */
  void place_virtual_threads() {
    virtual_level_ = 0;
    for (std::size_t i = 0; i < serial_.size(); ++i)
      if (loops_.is_reduction(serial_[i])) virtual_level_ = i + 1;
  }

  /** Serial loops at and around a loop of the order. */
  std::size_t level_of(LoopId at) const {
    const std::size_t place = loops_.position(at);
    return static_cast<std::size_t>(
        std::ranges::count_if(serial_, [&](LoopId loop) { return loops_.position(loop) <= place; }));
  }

  void add_sum() {
    Buffer sum;
    sum.name = "sum";
    sum.scope = BufferScope::Registers;
    sum.written = true;
    sum_loops_ = virtual_;
    std::ranges::copy_if(serial_, std::back_inserter(sum_loops_),
                         [&](LoopId loop) { return !loops_.is_reduction(loop); });
    sum_offset_ = offset_in(sum_loops_, sum.extents);
    sum_buffer_ = loops_.add_buffer(std::move(sum));
  }

  /** A box with one dimension per loop; fills in its extents. */
  IndexExpression offset_in(const std::vector<LoopId>& box, std::vector<std::int64_t>& extents) const {
    std::vector<IndexExpression> indices;
    for (const LoopId loop : box) {
      if (loops_.variable_of(loop) == GpuLoops::no_variable) continue;
      extents.push_back(loops_.length(loop));
      indices.push_back(IndexExpression::variable(loops_.variable_of(loop)));
    }
    if (extents.empty()) {
      extents.push_back(1);
      indices.emplace_back(0);
    }
    return box_offset(extents, indices);
  }

  static bool any(LoopId) { return true; }

  BufferAccess global_operand(std::size_t input) const {
    return loops_.global(input, loops_.tensor_indices(input, loops_.axis_values(any)));
  }

  /** Whether a block's copy made inside `at` covers a loop: it is a thread's, or inside. */
  LoopFilter covered_by(LoopId at) const {
    return [this, place = loops_.position(at)](LoopId loop) {
      const GpuPlace where = loops_.place(loop);
      if (where == GpuPlace::Block) return false;
      return where != GpuPlace::Serial || loops_.position(loop) > place;
    };
  }

  void add_shared(const SharedCopy& copy) {
    const auto input = static_cast<std::size_t>(copy.input);
    const LoopFilter covered = covered_by(copy.at);
    Staged staged{
        {input, 0, loops_.tile(input, covered), 0, 0, copy.lanes}, level_of(copy.at), copy.copies, copy.at};
    const std::vector<std::int64_t>& extents = staged.tile.tile.extents;
    staged.tile.row_elements = extents.back();
    Buffer buffer;
    buffer.name = schedule().op().inputs[input].tensor + "_shared";
    buffer.element_type = to_string(schedule().op().inputs[input].type);
    buffer.scope = BufferScope::Shared;
    buffer.written = true;
    if (copy.copies > 1) buffer.extents.push_back(copy.copies);
    buffer.extents.insert(buffer.extents.end(), extents.begin(), extents.end());
    staged.tile.buffer = loops_.add_buffer(std::move(buffer));
    const int variable = loops_.variable_of(copy.at);
    if (copy.copies > 1 && variable != GpuLoops::no_variable)
      staged.tile.first_offset = modulo(IndexExpression::variable(variable), copy.copies, loops_.ranges()) *
                                 staged.tile.tile.elements();
    operands_[input] = {staged.tile.buffer,
                        staged.tile.first_offset + box_offset(extents, loops_.tile_indices(input, covered)),
                        0};
    if (!shared_.empty() &&
        (shared_.front().level != staged.level || shared_.front().copies != staged.copies))
      throw std::logic_error("shared copies are made inside the same loop");
    shared_.push_back(std::move(staged));
  }

  /** Virtual threads each hold a box of their own; the other loops inside `at` make one box per tensor. */
  void add_register_copy(const RegisterCopy& copy) {
    const auto input = static_cast<std::size_t>(copy.input);
    const auto staged =
        std::ranges::find_if(shared_, [&](const Staged& candidate) { return candidate.tile.input == input; });
    if (staged == shared_.end()) throw std::logic_error("registers are filled from shared memory");
    const std::size_t place = loops_.position(copy.at);
    const LoopFilter held = [this, place](LoopId loop) {
      return loops_.place(loop) == GpuPlace::Serial && loops_.position(loop) > place;
    };
    const LoopFilter covered = covered_by(staged->at);
    const LoopFilter standing = [&](LoopId loop) { return covered(loop) && !held(loop); };

    std::vector<LoopId> threads;
    std::ranges::copy_if(virtual_, std::back_inserter(threads),
                         [&](LoopId loop) { return moves(input, loop); });
    Buffer buffer;
    buffer.name = schedule().op().inputs[input].tensor + "_registers";
    buffer.scope = BufferScope::Registers;
    buffer.written = true;
    const IndexExpression thread_box = offset_in(threads, buffer.extents);
    const CopyTile tile = loops_.tile(input, held);
    buffer.extents.insert(buffer.extents.end(), tile.extents.begin(), tile.extents.end());
    const int number = loops_.add_buffer(std::move(buffer));

    const IndexExpression first = thread_box * tile.elements();
    StatementPtr fill = fill_box(number, first, tile, *staged, loops_.tile_indices(input, standing));
    held_.push_back({input, number, level_of(copy.at), loops_.wrap(threads, std::move(fill))});
    operands_[input] = {number, first + box_offset(tile.extents, loops_.tile_indices(input, held)), 0};
  }

  /** Copies a box, which begins at `source` in a shared tile, to registers from `first` on. */
  StatementPtr fill_box(int number, const IndexExpression& first, const CopyTile& tile, const Staged& staged,
                        std::vector<IndexExpression> source) {
    const std::string name = loops_.nest().buffers[static_cast<std::size_t>(number)].name;
    std::vector<IndexExpression> inside;
    std::vector<int> variables;
    for (std::size_t d = 0; d < tile.extents.size(); ++d) {
      variables.push_back(tile.extents[d] > 1
                              ? loops_.add_variable(fmt::format("{}_{}", name, d), tile.extents[d])
                              : GpuLoops::no_variable);
      inside.push_back(variables.back() == GpuLoops::no_variable
                           ? IndexExpression(0)
                           : IndexExpression::variable(variables.back()));
    }
    for (std::size_t d = 0; d < source.size(); ++d) source[d] += inside[d];
    StatementPtr fill = make_statement(Compute{
        Operation::Copy,
        {number, first + box_offset(tile.extents, inside), 0},
        {{staged.tile.buffer, staged.tile.first_offset + box_offset(staged.tile.tile.extents, source), 0}},
        1,
        {}});
    for (std::size_t d = variables.size(); d-- > 0;)
      if (variables[d] != GpuLoops::no_variable)
        fill = make_statement(
            Loop{variables[d], 0, tile.extents[d], LoopKind::Serial, tile.extents[d], std::move(fill)});
    return fill;
  }

  /** Whether a loop moves through an input. */
  bool moves(std::size_t input, LoopId loop) const {
    const auto axis = static_cast<std::size_t>(schedule().loop(loop).axis);
    return std::ranges::any_of(schedule().op().inputs[input].indices,
                               [&](const AccessIndex& index) { return index.coefficients[axis] != 0; });
  }

  BufferAccess sum() const { return {sum_buffer_, sum_offset_, 0}; }
  StatementPtr zero() const { return make_statement(Compute{Operation::SetZero, sum(), {}, 1, {}}); }
  StatementPtr store() const {
    const std::size_t output = schedule().op().inputs.size();
    const BufferAccess destination =
        loops_.global(output, loops_.tensor_indices(output, loops_.axis_values(any)));
    return make_statement(Compute{Operation::Copy, destination, {sum()}, 1, {}});
  }
  StatementPtr store_loops(StatementPtr body) const { return loops_.wrap(sum_loops_, std::move(body)); }

  /** What runs inside the first `level` serial loops. */
  StatementPtr accumulate(std::size_t level) {
    if (!shared_.empty() && shared_.front().level == level && !staged_) {
      staged_ = true;
      return staged(level);
    }
    for (Held& held : held_) {
      if (held.level != level || !held.fill) continue;
      const StatementPtr fill = std::exchange(held.fill, nullptr);
      return make_statement(Allocate{held.buffer, make_sequence({fill, accumulate(level)})});
    }
    if (level == virtual_level_ && !virtual_placed_) {
      virtual_placed_ = true;
      return loops_.wrap(virtual_, accumulate(level));
    }
    if (level == serial_.size())
      return make_statement(
          Compute{Operation::MultiplyAccumulate, sum(), {operands_[0], operands_[1]}, 1, {}});
    if (doubled(level + 1)) return pipelined(level);
    return loops_.wrap({serial_[level]}, accumulate(level + 1));
  }

  /** Whether the loop around this level fills one of two copies while the other is read. */
  bool doubled(std::size_t level) const {
    return !shared_.empty() && !staged_ && shared_.front().level == level && shared_.front().copies > 1 &&
           loops_.variable_of(shared_.front().at) != GpuLoops::no_variable;
  }

  StatementPtr fill_shared() {
    std::vector<StatementPtr> fills;
    for (const Staged& staged : shared_) fills.push_back(cooperative_copy(loops_, staged.tile));
    return make_sequence(fills);
  }

  static StatementPtr barrier() { return make_statement(Barrier{}); }

  /** Whether an outer iteration may still be reading what would be overwritten. */
  bool repeated(std::size_t level) const {
    return std::ranges::any_of(
        serial_.begin(), serial_.begin() + static_cast<std::ptrdiff_t>(level),
        [&](LoopId loop) { return loops_.variable_of(loop) != GpuLoops::no_variable; });
  }

  StatementPtr staged(std::size_t level) {
    std::vector<StatementPtr> parts;
    if (repeated(level)) parts.push_back(barrier());
    parts.insert(parts.end(), {fill_shared(), barrier(), accumulate(level)});
    return make_sequence(parts);
  }

  /** Double buffering: while a tile is read, the next one is loaded into the other copy. */
  StatementPtr pipelined(std::size_t level) {
    const LoopId loop = serial_[level];
    const int variable = loops_.variable_of(loop);
    const std::int64_t last = loops_.length(loop) - 1;
    staged_ = true;
    const StatementPtr fill = fill_shared();
    const StatementPtr use = accumulate(level + 1);
    const auto at = [&](const StatementPtr& statement, const IndexExpression& value) {
      return substitute(statement, variable, value, loops_.ranges());
    };
    std::vector<StatementPtr> parts;
    if (repeated(level)) parts.push_back(barrier());
    parts.push_back(at(fill, 0));
    const IndexExpression next = IndexExpression::variable(variable) + IndexExpression(1);
    parts.push_back(make_statement(
        Loop{variable, 0, last, LoopKind::Serial, 1, make_sequence({barrier(), at(fill, next), use})}));
    parts.push_back(barrier());
    parts.push_back(at(use, last));
    return make_sequence(parts);
  }

  GpuLoops loops_;
  std::vector<LoopId> serial_;   ///< neither blocks nor threads, in order
  std::vector<LoopId> virtual_;  ///< in order
  std::size_t virtual_level_ = 0;
  bool virtual_placed_ = false;
  bool staged_ = false;
  std::vector<LoopId> sum_loops_;
  IndexExpression sum_offset_;
  int sum_buffer_ = 0;
  std::vector<BufferAccess> operands_;  ///< where the innermost statement reads the inputs
  std::vector<Staged> shared_;
  std::vector<Held> held_;
};

}  // namespace

LoopNest lower_gpu(const Schedule& schedule, const Configuration& configuration) {
  if (schedule.tensor_core_tile()) return lower_tensor_core(schedule, configuration);
  const LoopNest nest = GpuLowering(schedule, configuration).run();
  const std::optional<AutoUnroll>& unrolling = schedule.unrolling();
  if (!unrolling) return auto_unroll(nest, usual_unroll_steps, false);
  return auto_unroll(nest, schedule.knob_value(unrolling->most_steps, configuration),
                     schedule.knob_value(unrolling->in_source, configuration) == 1);
}

}  // namespace kernelscape
