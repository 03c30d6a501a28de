#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/intrinsic.h"
#include "core/schedule/stage.h"
#include "core/schedule/target.h"
#include "core/space/search_space.h"
#include "core/task/tensor_operator.h"

namespace kernelscape {

/** Iterations of a loop: fixed, a knob's element, what is left of another loop once it is tiled, or that of
 * other loops. */
struct LoopLength {
  enum class Kind : std::uint8_t { Fixed, Element, CeilQuotient, Quotient, Product, Select };
  Kind kind = Kind::Fixed;
  std::int64_t fixed = 1;
  KnobId knob;       ///< Element, Select
  int position = 0;  ///< Element
  LoopId whole;      ///< CeilQuotient: ceil(length(whole) / length(tile))
  LoopId tile;
  std::vector<LoopId> loops{};  ///< Quotient: ceil(fixed / the product of their lengths), which limits want
                                ///< to be whole; Product: of their lengths; Select: one by the knob's value

  /** A length that no knob changes. */
  static LoopLength of_number(std::int64_t length) { return {Kind::Fixed, length, {}, 0, {}, {}}; }
  /** The length is an element of a knob's value: a factor of a factorization, or an ordinal's number (0). */
  static LoopLength of_knob(KnobId knob, int position = 0) {
    return {Kind::Element, 1, knob, position, {}, {}};
  }
  /** ceil(number / the product of the divisors' lengths): how many tiles there are. */
  static LoopLength quotient(std::int64_t number, std::vector<LoopId> divisors) {
    return {Kind::Quotient, number, {}, 0, {}, {}, std::move(divisors)};
  }
  /** As many iterations as these loops have inside of each other. */
  static LoopLength product(std::vector<LoopId> factors) {
    return {Kind::Product, 1, {}, 0, {}, {}, std::move(factors)};
  }
  /** The length of the loop that the knob's value 0, 1, ... chooses. */
  static LoopLength select(KnobId knob, std::vector<LoopId> choices) {
    return {Kind::Select, 1, knob, 0, {}, {}, std::move(choices)};
  }
};

enum class Binding : std::uint8_t {
  None,
  Parallel,
  BlockX,
  BlockY,
  BlockZ,
  ThreadX,
  ThreadY,
  ThreadZ,
  VirtualThread
};

/** A loop of the schedule: an axis of the operator, or a part of a split. */
struct ScheduleLoop {
  std::string name;
  int axis = 0;
  LoopLength length;
  std::vector<LoopId> parts;  ///< outermost first, where it was split
  std::optional<LoopId> part_of{};
  std::vector<LoopId> fuses;  ///< outermost first, where it runs other loops as one
  std::optional<LoopId> fused_into{};
  Binding binding = Binding::None;
  bool vectorized = false;
  bool unrolled = false;
  std::optional<KnobId> unrolled_if;  ///< a knob whose value 1 unrolls it
  std::optional<KnobId> unroll_hint;  ///< a knob whose value is the unroll factor asked of the compiler
};

/** A place in the loop order: loops as given, in the order of a permutation knob, or one of several orders by
 * a knob. */
struct OrderItem {
  std::vector<LoopId> loops;
  std::optional<KnobId> permutation;
  std::optional<KnobId> choice;  ///< index of its value chooses among `alternatives`
  std::vector<std::vector<LoopId>> alternatives;

  OrderItem(LoopId loop)
      : loops{loop} {}  // NOLINT(google-explicit-constructor): orders read as lists of loops
  OrderItem(KnobId knob, std::vector<LoopId> permuted) : loops(std::move(permuted)), permutation(knob) {}
  OrderItem(KnobId knob, std::vector<std::vector<LoopId>> orders)
      : choice(knob), alternatives(std::move(orders)) {}
};

/**
 * One physical dimension of a packed tensor: (index of `source` / product of `inner`) % product of `extent`;
 * without `extent` it covers the rest.
 */
struct PackedDimension {
  int source = 0;
  std::vector<LoopId> inner;
  std::vector<LoopId> extent;
};

/** Dimensions of layouts in words. */
namespace packed {

/** All of a dimension. */
inline PackedDimension whole(int source) { return {source, {}, {}}; }
/** The blocks of a dimension, each of as many elements as these loops have iterations. */
inline PackedDimension blocks_of(int source, std::vector<LoopId> block) {
  return {source, std::move(block), {}};
}
/** The elements of such a block. */
inline PackedDimension within(int source, std::vector<LoopId> block) {
  return {source, {}, std::move(block)};
}
/** Of a block of groups the groups: as many as `groups` have iterations, each of as many elements as `group`.
 */
inline PackedDimension groups_of(int source, std::vector<LoopId> groups, std::vector<LoopId> group) {
  return {source, std::move(group), std::move(groups)};
}

}  // namespace packed

/** A tensor's layout, its tiles being as long as the configuration says. */
struct PackedLayout {
  std::string name;
  std::vector<PackedDimension> dimensions;
};

/** The innermost loops of an order as one operation of a machine. */
struct Tensorized {
  const Intrinsic* intrinsic = nullptr;  ///< a row of intrinsics()
  std::vector<LoopId> loops;             ///< by place in the row's `loops`
};

/** TVM's unrolling of a GPU's kernel: loops whose bodies have few steps. */
struct AutoUnroll {
  KnobId most_steps;  ///< a loop nest of at most so many steps is unrolled
  KnobId in_source;   ///< 1: its copies are written out; 0: the compiler is asked for them
};

/** The product of these loops' lengths is at most `bound`. */
struct ProductBound {
  std::string name;
  std::vector<LoopId> loops;
  std::int64_t bound = 0;
  std::string reason;
};

/**
 * Schedule primitives recorded once for an operator: stages (the operator's sums, copies of what they read,
 * places where results wait), the loops of the sums, and where in them each stage is made. Constraint
 * derivation, lowering and features read this record and nothing else. The order of the calls that make knobs
 * is the order of the space's knobs, and so part of a configuration's identity: a template that exchanges two
 * of them has a new version. Mistakes of a template (an unknown axis, an order that misses a loop) are broken
 * invariants and throw std::logic_error; what depends on a task's shape (too many factorizations) is the
 * error of `finish`.
 */
class Schedule {
 public:
  explicit Schedule(TensorOperator op);

  /** Names for readers of the code, in the order of the loops. */
  void name(const std::vector<LoopId>& loops, const std::vector<std::string>& names);

  /** The number of a tensor, by its name: inputs in order, then the output. */
  int tensor(std::string_view name) const;
  /** The loop of an axis, by the axis's name. */
  LoopId axis(std::string_view name) const;
  /** Whether axis() finds it: depthwise convolutions have no rc, unbatched products no b. */
  bool has_axis(std::string_view name) const;

  /** Rounds an axis up to a multiple; every layout of it must hold the rest (a PackedDimension without extent
   * does). */
  void pad(LoopId axis, std::int64_t multiple);

  /** Factors of the loop's length by a factorization knob, outermost first. */
  std::vector<LoopId> split(LoopId loop, int parts, const std::string& knob, std::int64_t last_at_most = 0);
  /** {ceil(length / inner), inner}, the inner length being an ordinal knob; a remainder is peeled. */
  std::vector<LoopId> tile(LoopId loop, const std::string& knob, const std::vector<std::int64_t>& inner);
  /** {length / the product of the others, then loops of these lengths}: knobs tile a loop, and a limit
   * refuses the configurations whose tile does not divide it. */
  std::vector<LoopId> tile_evenly(LoopId loop, const std::vector<LoopLength>& inner);
  /** {length / inner, inner} with a fixed inner length that divides it. */
  std::vector<LoopId> split_by(LoopId loop, std::int64_t inner);
  /** One loop that runs these as one, outermost first: it can be split as an axis can. They are axes or parts
   * that no other fusion runs, all of the output or all reductions. */
  LoopId fuse(const std::vector<LoopId>& loops, const std::string& name);

  /** A knob of whole numbers whose distances mean something. What makes no knob is the error of finish(). */
  KnobId ordinal(const std::string& name, const std::vector<std::int64_t>& values);
  /** A knob of values without an order. What makes no knob is the error of finish(). */
  KnobId categorical(const std::string& name, std::vector<KnobValue> values);
  /** Orders of loops; items are named after them. */
  KnobId permutation(const std::string& name, const std::vector<LoopId>& loops);

  /** All loops that run, outermost first; replaces the order given before. */
  void reorder(std::vector<OrderItem> order);
  /** Runs a loop's iterations as blocks, threads or virtual threads of a GPU. */
  void bind(LoopId loop, Binding binding);
  /** The outermost loops of the order, fused and dealt out to threads. */
  void parallel(const std::vector<LoopId>& loops);
  /** Runs the loop in vector lanes. */
  void vectorize(LoopId loop);
  /**
   * One operation of the machine takes these loops whole, the innermost of the order. A dot product's runs
   * along consecutive elements in every layout of the inputs. A warp's operation has no loop along
   * threadIdx.x, and reads inputs that are cached in fragments.
   */
  void tensorize(const Intrinsic& intrinsic, std::vector<LoopId> loops);
  /** Writes the loop's iterations out one after the other. */
  void unroll(LoopId loop);
  /** The same in configurations in which the knob's value is 1. */
  void unroll_if(LoopId loop, KnobId knob);
  /** Leaves it to the compiler, asked for this many iterations at a time (at most the loop's length). */
  void unroll_hint(LoopId loop, KnobId factor);
  /** Loops of which a knob with this name chooses one: 0 is the first. What makes no knob is the error of
   * finish(). */
  AttachPoint attach_by(const std::string& knob, std::vector<LoopId> loops);
  /**
   * What the loops inside `at` read of an input lies in a place of its own, made anew in each iteration:
   * shared by a block's threads, in a thread's registers or its local memory, or in a warp's fragments. A
   * second copy of the same input is made from the first, in a loop inside of it.
   */
  void cache_read(int input, BufferScope scope, AttachPoint at, CopyOptions options = {});
  /**
   * The output's tile inside `at` grows in registers or fragments; reductions outside of it are carried in
   * the output. In shared memory it lies on its way from there to the output, once `at`'s reductions are
   * done, where the inputs' copies were.
   */
  void cache_write(BufferScope scope, AttachPoint at, CopyOptions options = {});
  /** TVM's unrolling by its two knobs, auto_unroll_max_step with these values and unroll_explicit {0, 1}. */
  void auto_unroll(const std::vector<std::int64_t>& most_steps);
  /** Layout of tensor `tensor` (inputs in order, then the output). */
  void layout(int tensor, PackedLayout layout);
  /** Layouts by the index of a knob's value. */
  void layout_by(int tensor, KnobId knob, std::vector<PackedLayout> layouts);

  /** Members only: the product of these loops' lengths is at most `bound`. */
  void require_product_at_most(const std::string& name, const std::vector<LoopId>& loops, std::int64_t bound,
                               const std::string& reason);

  /** The same as a limit of the target: a configuration beyond it is a member that is refused. */
  void limit_product(const std::string& name, const std::vector<LoopId>& loops, std::int64_t bound,
                     const std::string& reason);

  /** Members only: one loop is at most as long as another. */
  void require_not_longer(LoopId loop, LoopId than, const std::string& reason);

  /** The search space, or why the shapes make none. */
  Result<SearchSpace> finish() const;

  /**
   * Whether a target understands all that was recorded, and nothing is missing that its lowering needs; or
   * the primitive that is wrong or forgotten, by its name.
   */
  Status check(TargetKind target) const;

  /** The operator as given: pad() does not change its extents. */
  const TensorOperator& op() const { return op_; }
  /** By LoopId: the axes first, then parts in the order of the splits. */
  const std::vector<ScheduleLoop>& loops() const { return loops_; }
  /** Loops that were split keep theirs. */
  const ScheduleLoop& loop(LoopId id) const { return loops_[static_cast<std::size_t>(id.number)]; }
  /** By KnobId: the knobs of the space, in its order. */
  const std::vector<Knob>& knobs() const { return knobs_; }
  /** Outermost first; knobs may still choose within an item. */
  const std::vector<OrderItem>& order() const { return order_; }
  /** Dealt out to threads of a CPU; empty where none are. */
  const std::vector<LoopId>& parallel_loops() const { return parallel_; }
  /** Limits of the target that the template asked for: limit_product(). */
  const std::vector<ProductBound>& product_limits() const { return product_limits_; }
  /** The sums first, then copies and places of results in the order in which they were recorded. */
  const std::vector<Stage>& stages() const { return stages_; }
  /** Stages of one kind that live in a scope, in order. */
  std::vector<const Stage*> stages(StageKind kind, BufferScope scope) const;
  /** Where the sums grow: the first of the places of results; none: it was not said. */
  const Stage* accumulator() const;
  /** The operation that takes the innermost loops; none: operations take single elements. */
  const std::optional<Tensorized>& tensorized() const { return tensorized_; }
  /** The loop of a dot product's groups; none where there is no such operation. */
  std::optional<LoopId> dot_group() const;
  /** The knobs of auto_unroll(); none where it was not asked for. */
  const std::optional<AutoUnroll>& unrolling() const { return auto_unroll_; }
  LoopId root(int axis) const { return LoopId{axis}; }  ///< the loop of an axis before any split
  /** Whether pad() made the axis longer than the operator's. */
  bool padded(int axis) const { return padded_[static_cast<std::size_t>(axis)]; }

  /** Loops in nesting order for a configuration. */
  std::vector<LoopId> ordered_loops(const Configuration& configuration) const;
  /** Iterations of a loop; a last, partial tile counts as one. */
  std::int64_t length(LoopId loop, const Configuration& configuration) const;
  /** A number knob's value; the first factor of a factorization. */
  std::int64_t knob_value(KnobId knob, const Configuration& configuration) const;
  /** The layout that a configuration stores a tensor in (inputs in order, then the output). */
  const PackedLayout& layout_of(int tensor, const Configuration& configuration) const;
  /** The loop that a stage is made in. */
  LoopId attached_at(const Stage& stage, const Configuration& configuration) const;
  /** The logical dimension of a tensor that lies innermost in all of its layouts. */
  int innermost_dimension(int tensor) const;

 private:
  struct TensorLayouts {
    std::optional<KnobId> knob;
    std::vector<PackedLayout> layouts;
  };
  struct LengthOrder {
    LoopId shorter;
    LoopId longer;
    std::string reason;
  };

  KnobId add_knob(Result<Knob> knob);
  LoopId add_part(LoopId whole, std::size_t number, LoopLength length);
  std::int64_t fixed_length(LoopId loop) const;
  ScheduleLoop& at(LoopId id) { return loops_[static_cast<std::size_t>(id.number)]; }

  TensorOperator op_;
  std::vector<ScheduleLoop> loops_;
  std::vector<bool> padded_;
  std::vector<Knob> knobs_;
  std::vector<OrderItem> order_;
  std::vector<LoopId> parallel_;
  std::vector<Stage> stages_;
  std::optional<Tensorized> tensorized_;
  std::optional<AutoUnroll> auto_unroll_;
  std::vector<TensorLayouts> layouts_;
  std::vector<ProductBound> bounds_;
  std::vector<ProductBound> product_limits_;
  std::vector<LengthOrder> length_orders_;
  std::optional<Error> error_;
};

}  // namespace kernelscape
