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

/**
 * What lowerings for any target share: a configuration's loops as variables of a loop nest, and the tensors
 * as its global buffers. Loops of one iteration have no variable: they are zero.
 */
class LoweredLoops {
 public:
  static constexpr int no_variable = -1;

  LoweredLoops(const Schedule& schedule, const Configuration& configuration);

  LoopNest& nest() { return nest_; }  ///< the nest that the lowering fills; its body is set last
  /** Of the nest's variables, by number: what proofs about indices rest on. */
  const Ranges& ranges() const { return nest_.ranges; }
  const Schedule& schedule() const { return schedule_; }                 ///< what is lowered; outlives this
  const Configuration& configuration() const { return configuration_; }  ///< a value per knob; outlives this
  /** All loops in nesting order. */
  const std::vector<LoopId>& order() const { return order_; }
  /** Iterations in this configuration. */
  std::int64_t length(LoopId loop) const { return schedule_.length(loop, configuration_); }
  bool is_reduction(LoopId loop) const;  ///< whether its axis is one that the operator sums over
  /** Number in the nest; no_variable for a loop of one iteration, or out of the order. */
  int variable_of(LoopId loop) const { return variables_[static_cast<std::size_t>(loop.number)]; }
  /** A new variable of the nest that runs from 0 to iterations - 1; returns its number. */
  int add_variable(const std::string& name, std::int64_t iterations);
  /** A new buffer of the nest; returns its number. */
  int add_buffer(Buffer buffer);
  /** Global buffers: inputs in order, then the output. */
  void add_tensors();

  /** Is told of a loop whose parts go beyond it, and the index that they give. */
  using Overhang = std::function<void(LoopId, const IndexExpression&)>;
  /** The index along a loop before it was split, counting the chosen loops alone. */
  IndexExpression value_of(LoopId loop, const LoopFilter& chosen, const Overhang& overhangs) const;

  /** The numerator of an index into a tensor at these axes. */
  static IndexExpression numerator(const AccessIndex& index, const std::vector<IndexExpression>& axes);
  /** An access to a tensor's buffer. */
  BufferAccess global(std::size_t tensor, const std::vector<IndexExpression>& indices) const;

  /** A variable, and what it is in terms of others. */
  struct Decoded {
    int variable;
    IndexExpression value;
  };
  /** Loops that run as one, outermost first, decoded from its variable. */
  std::vector<Decoded> decode(const std::vector<LoopId>& loops, int variable) const;
  /** Lets around the body that give the decoded loops their values. */
  static StatementPtr bind(const std::vector<Decoded>& decoded, StatementPtr body);

  /** Says how a loop runs. */
  using LoopMark = std::function<void(LoopId, Loop&)>;
  /** The loops around a body, outermost first. */
  StatementPtr wrap(const std::vector<LoopId>& loops, StatementPtr body, const LoopMark& mark) const;

 private:
  const Schedule& schedule_;
  const Configuration& configuration_;
  std::vector<LoopId> order_;
  std::vector<int> variables_;  ///< by number of the loop
  LoopNest nest_;
};

/** Elements of a box, row-major: the offset of indices into it. */
IndexExpression box_offset(const std::vector<std::int64_t>& extents,
                           const std::vector<IndexExpression>& indices);

}  // namespace kernelscape
