#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/loop_nest/loop_nest.h"
#include "core/schedule/schedule.h"

namespace kernelscape {

/** Chooses loops of a schedule. */
using LoopFilter = std::function<bool(LoopId)>;

/** Where the iterations of a loop run. */
enum class LoopPlace : std::uint8_t {
  Dealt,          ///< to the threads of a CPU
  Block,          ///< of a GPU's launch
  Thread,         ///< of a GPU's block
  VirtualThread,  ///< several of a GPU's threads as one
  Serial
};

/** Where a binding puts a loop's iterations. */
LoopPlace place_of(Binding binding);

/**
 * A configuration's loops as variables of a loop nest, the tensors as its global buffers, and the indices
 * that a launch gives. Loops of one iteration have no variable: they are zero.
 */
class LoweredLoops {
 public:
  static constexpr int no_variable = -1;

  LoweredLoops(const Schedule& schedule, const Configuration& configuration, TargetKind target);

  LoopNest& nest() { return nest_; }  ///< the nest that the lowering fills; its body is set last
  /** Of the nest's variables, by number: what proofs about indices rest on. */
  const Ranges& ranges() const { return nest_.ranges; }
  const Schedule& schedule() const { return schedule_; }                 ///< what is lowered; outlives this
  const Configuration& configuration() const { return configuration_; }  ///< a value per knob; outlives this
  bool on_cpu() const { return target_ == TargetKind::Cpu; }             ///< else on a GPU
  /** All loops in nesting order. */
  const std::vector<LoopId>& order() const { return order_; }
  /** Iterations in this configuration. */
  std::int64_t length(LoopId loop) const { return schedule_.length(loop, configuration_); }
  bool is_reduction(LoopId loop) const;  ///< whether its axis is one that the operator sums over
  /** Number in the nest; no_variable for a loop of one iteration, or out of the order. */
  int variable_of(LoopId loop) const { return variables_[static_cast<std::size_t>(loop.number)]; }
  bool runs(LoopId loop) const { return variable_of(loop) != no_variable; }  ///< more than once
  /** The loop's variable; zero for a loop of one iteration. */
  IndexExpression index_of(LoopId loop) const;
  /** A new variable of the nest that runs from 0 to iterations - 1; returns its number. */
  int add_variable(const std::string& name, std::int64_t iterations);
  /** A new buffer of the nest; returns its number. */
  int add_buffer(Buffer buffer);

  /**
   * Place in the nesting order, 0 being outermost: of the last loop of the item where a knob permutes them.
   * @throws std::logic_error where the order misses the loop
   */
  std::size_t position(LoopId loop) const;
  /** Where the loop runs, by its binding in the schedule. */
  LoopPlace place(LoopId loop) const { return place_of(schedule_.loop(loop).binding); }
  /** Whether a loop runs in one thread, inside `at`. */
  bool serial_inside(LoopId loop, LoopId at) const;

  /** Threads of a GPU's block, and a thread's number among them: x runs fastest. */
  std::int64_t threads() const { return threads_; }
  /** x + threads_x * (y + threads_y * z). */
  const IndexExpression& thread() const { return thread_; }

  /** Is told of a loop whose parts go beyond it, and the index that they give. */
  using Overhang = std::function<void(LoopId, const IndexExpression&)>;
  /** The index along a loop before it was split or fused, counting the chosen loops alone. */
  IndexExpression value_of(LoopId loop, const LoopFilter& chosen, const Overhang& overhangs) const;
  /** The index of every axis, counting the chosen loops alone; overhangs are somebody else's to test. */
  std::vector<IndexExpression> axis_values(const LoopFilter& chosen) const;
  /**
   * How many values an axis's chosen loops run through. @throws std::logic_error where it is fused with
   * others
   */
  std::int64_t axis_extent(std::size_t axis, const LoopFilter& chosen) const;

  /** The numerator of an index into a tensor at these axes. */
  static IndexExpression numerator(const AccessIndex& index, const std::vector<IndexExpression>& axes);
  /** An access to a tensor's buffer. */
  BufferAccess global(std::size_t tensor, const std::vector<IndexExpression>& indices) const;

  /**
   * The loops around a body, outermost first: on a CPU in lanes, unrolled or serial, as the schedule says; on
   * a GPU serial, its compiler being asked to unroll those that the schedule unrolls, short virtual threads,
   * and what numbers fragments, which no loop may index.
   */
  StatementPtr wrap(const std::vector<LoopId>& loops, StatementPtr body) const;
  /** The body as a launch runs it: dealt out to a CPU's threads, or once per thread of a GPU's. */
  StatementPtr launch(StatementPtr body) const;

 private:
  /** A variable, and what it is in terms of others. */
  struct Decoded {
    int variable = 0;
    IndexExpression value;
  };

  void add_tensors();
  void deal_out();
  void add_launch_index(LaunchDimension dimension, Binding binding);
  /** Loops that run as one, outermost first, decoded from its variable. */
  std::vector<Decoded> decode(const std::vector<LoopId>& loops, int variable) const;
  IndexExpression fused_value(LoopId loop, const LoopFilter& chosen, const Overhang& overhangs) const;
  std::int64_t extent_of(LoopId loop, const LoopFilter& chosen) const;
  void mark(LoopId id, Loop& loop) const;

  const Schedule& schedule_;
  const Configuration& configuration_;
  TargetKind target_;
  std::vector<LoopId> order_;
  std::vector<std::size_t> positions_;  ///< by place in the order: that of the last loop of the item
  std::vector<int> variables_;          ///< by number of the loop
  LoopNest nest_;
  std::vector<Decoded> decoded_;  ///< where several loops share an index of the launch
  int dealt_variable_ = no_variable;
  std::int64_t dealt_iterations_ = 1;
  std::int64_t threads_ = 1;
  IndexExpression thread_;
};

/** Elements of a box, row-major: the offset of indices into it. */
IndexExpression box_offset(const std::vector<std::int64_t>& extents,
                           const std::vector<IndexExpression>& indices);

}  // namespace kernelscape
