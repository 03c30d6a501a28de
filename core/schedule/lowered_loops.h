#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/loop_nest/loop_nest.h"
#include "core/schedule/schedule.h"

namespace kernelscape::schedule {

/** Returns true for the chosen loops of a schedule. */
using LoopFilter = std::function<bool(LoopId)>;

/** Where the iterations of a loop run. */
enum class LoopPlace : std::uint8_t {
  Dealt,          ///< distributed over the threads of a CPU
  Block,          ///< across the blocks of a GPU's launch
  Thread,         ///< across the threads of a GPU's block
  VirtualThread,  ///< several virtual threads in one GPU thread
  Serial
};

/** Returns where a binding runs a loop's iterations. */
LoopPlace place_of(Binding binding);

/**
 * A configuration's loops as variables of a loop nest, the tensors as its global buffers, and the launch
 * indices. Loops of one iteration have no variable: their index is zero.
 */
class LoweredLoops {
 public:
  static constexpr int no_variable = -1;

  LoweredLoops(const Schedule& schedule, const space::Configuration& configuration, TargetKind target);

  loop_nest::LoopNest& nest() { return nest_; }  ///< the nest that the lowering fills; its body is set last
  /** Returns the ranges of the nest's variables, by number; proofs about indices are based on them. */
  const loop_nest::Ranges& ranges() const { return nest_.ranges; }
  /// the schedule that is lowered; must outlive this object
  const Schedule& schedule() const { return schedule_; }
  /// a value per knob; must outlive this object
  const space::Configuration& configuration() const { return configuration_; }
  bool on_cpu() const { return target_ == TargetKind::Cpu; }  ///< false on a GPU
  /** Returns all loops in nesting order. */
  const std::vector<LoopId>& order() const { return order_; }
  /** Returns the number of iterations in this configuration. */
  std::int64_t length(LoopId loop) const { return schedule_.length(loop, configuration_); }
  bool is_reduction(LoopId loop) const;  ///< true if the operator sums over the loop's axis
  /**
   * Returns the number of the loop's variable in the nest; no_variable for a loop of one iteration or a loop
   * that is not in the order.
   */
  int variable_of(LoopId loop) const { return variables_[static_cast<std::size_t>(loop.number)]; }
  /// true if the loop has more than one iteration
  bool runs(LoopId loop) const { return variable_of(loop) != no_variable; }
  /** Returns the loop's variable as an expression; zero for a loop of one iteration. */
  loop_nest::IndexExpression index_of(LoopId loop) const;
  /** Adds a variable to the nest that runs from 0 to iterations - 1. Returns its number. */
  int add_variable(const std::string& name, std::int64_t iterations);
  /** Adds a buffer to the nest. Returns its number. */
  int add_buffer(loop_nest::Buffer buffer);

  /**
   * Returns the position in the nesting order, 0 being outermost; if a knob permutes an item's loops, the
   * position of the item's last loop.
   * @throws std::logic_error if the order does not contain the loop
   */
  std::size_t position(LoopId loop) const;
  /** Returns where the loop runs, by its binding in the schedule. */
  LoopPlace place(LoopId loop) const { return place_of(schedule_.loop(loop).binding); }
  /** Returns true if the loop runs in one thread, inside `at`. */
  bool serial_inside(LoopId loop, LoopId at) const;

  /** Returns the number of threads of a GPU's block. */
  std::int64_t threads() const { return threads_; }
  /** Returns a thread's number in its block: x + threads_x * (y + threads_y * z). */
  const loop_nest::IndexExpression& thread() const { return thread_; }

  /** Called for a loop whose parts exceed its length, with the index that they give. */
  using Overhang = std::function<void(LoopId, const loop_nest::IndexExpression&)>;
  /** Returns the index along a loop before it was split or fused, counting only the chosen loops. */
  loop_nest::IndexExpression value_of(LoopId loop, const LoopFilter& chosen, const Overhang& overhangs) const;
  /** Returns the index of every axis, counting only the chosen loops. The caller must check for overhangs. */
  std::vector<loop_nest::IndexExpression> axis_values(const LoopFilter& chosen) const;
  /**
   * Returns the number of values that an axis's chosen loops run through.
   * @throws std::logic_error if the axis is fused with others
   */
  std::int64_t axis_extent(std::size_t axis, const LoopFilter& chosen) const;

  /** Returns the numerator of an index into a tensor for these values of the axes. */
  static loop_nest::IndexExpression numerator(const task::AccessIndex& index,
                                              const std::vector<loop_nest::IndexExpression>& axes);
  /** Returns an access to a tensor's buffer. */
  loop_nest::BufferAccess global(std::size_t tensor,
                                 const std::vector<loop_nest::IndexExpression>& indices) const;
  /**
   * Returns the accesses to the epilogue's operands, in order, for the output's element with these indices.
   */
  std::vector<loop_nest::BufferAccess> operands_at(
      const std::vector<loop_nest::IndexExpression>& indices) const;

  /**
   * Wraps a body in the loops, outermost first. On a CPU they are vectorized, unrolled or serial, as the
   * schedule says. On a GPU they are serial; the compiler is asked to unroll the loops that the schedule
   * unrolls, short virtual threads, and loops that number fragments, because a fragment cannot be indexed by
   * a loop variable.
   */
  loop_nest::StatementPtr wrap(const std::vector<LoopId>& loops, loop_nest::StatementPtr body) const;
  /** Returns the body as a launch runs it: distributed over a CPU's threads, or once per thread of a GPU. */
  loop_nest::StatementPtr launch(loop_nest::StatementPtr body) const;

 private:
  /** A variable, and its value in terms of other variables. */
  struct Decoded {
    int variable = 0;
    loop_nest::IndexExpression value;
  };

  void add_tensors();
  loop_nest::Layout operand_layout(const task::TensorAccess& operand) const;
  void deal_out();
  void add_launch_index(loop_nest::LaunchDimension dimension, Binding binding);
  /** Decodes loops that run as one, outermost first, from their common variable. */
  std::vector<Decoded> decode(const std::vector<LoopId>& loops, int variable) const;
  loop_nest::IndexExpression fused_value(LoopId loop, const LoopFilter& chosen,
                                         const Overhang& overhangs) const;
  std::int64_t extent_of(LoopId loop, const LoopFilter& chosen) const;
  void mark(LoopId id, loop_nest::Loop& loop) const;

  const Schedule& schedule_;
  const space::Configuration& configuration_;
  TargetKind target_;
  std::vector<LoopId> order_;
  /// by position in the order: the position of the last loop of the item
  std::vector<std::size_t> positions_;
  std::vector<int> variables_;  ///< by the loop's number
  loop_nest::LoopNest nest_;
  std::vector<Decoded> decoded_;  ///< loops that share a launch index
  int dealt_variable_ = no_variable;
  std::int64_t dealt_iterations_ = 1;
  std::int64_t threads_ = 1;
  loop_nest::IndexExpression thread_;
};

/** Returns the row-major offset of indices into a box. */
loop_nest::IndexExpression box_offset(const std::vector<std::int64_t>& extents,
                                      const std::vector<loop_nest::IndexExpression>& indices);

}  // namespace kernelscape::schedule
