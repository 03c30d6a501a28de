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

namespace kernelscape::schedule {

/**
 * The length of a loop: fixed, a knob's element, the rest of another loop after tiling, or derived from the
 * lengths of other loops.
 */
struct LoopLength {
  enum class Kind : std::uint8_t { Fixed, Element, CeilQuotient, Quotient, Product, Select };
  Kind kind = Kind::Fixed;
  std::int64_t fixed = 1;
  KnobId knob;       ///< Element, Select
  int position = 0;  ///< Element
  LoopId whole;      ///< CeilQuotient: ceil(length(whole) / length(tile))
  LoopId tile;
  /// Quotient: ceil(fixed / the product of their lengths), which the limits require to be exact; Product: the
  /// product of their lengths; Select: the length of the loop that the knob's value selects
  std::vector<LoopId> loops{};

  /** Returns a length that no knob changes. */
  static LoopLength of_number(std::int64_t length) { return {Kind::Fixed, length, {}, 0, {}, {}}; }
  /**
   * Returns a length that is an element of a knob's value: a factor of a factorization, or an ordinal's
   * number (0).
   */
  static LoopLength of_knob(KnobId knob, int position = 0) {
    return {Kind::Element, 1, knob, position, {}, {}};
  }
  /** Returns ceil(number / the product of the divisors' lengths): the number of tiles. */
  static LoopLength quotient(std::int64_t number, std::vector<LoopId> divisors) {
    return {Kind::Quotient, number, {}, 0, {}, {}, std::move(divisors)};
  }
  /** Returns the number of iterations of these loops nested in each other. */
  static LoopLength product(std::vector<LoopId> factors) {
    return {Kind::Product, 1, {}, 0, {}, {}, std::move(factors)};
  }
  /** Returns the length of the loop that the knob's value 0, 1, ... selects. */
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
struct Loop {
  std::string name;
  int axis = 0;
  LoopLength length;
  std::vector<LoopId> parts;  ///< outermost first, if the loop was split
  std::optional<LoopId> part_of{};
  std::vector<LoopId> fuses;  ///< outermost first, if the loop runs other loops as one
  std::optional<LoopId> fused_into{};
  Binding binding = Binding::None;
  bool vectorized = false;
  bool unrolled = false;
  std::optional<KnobId> unrolled_if;  ///< a knob whose value 1 unrolls it
  std::optional<KnobId> unroll_hint;  ///< a knob whose value is the unroll factor requested from the compiler
};

/**
 * An item of the loop order: loops as given, in the order of a permutation knob, or in one of several orders
 * selected by a knob.
 */
struct OrderItem {
  std::vector<LoopId> loops;
  std::optional<KnobId> permutation;
  std::optional<KnobId> choice;  ///< the index of its value selects one of `alternatives`
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

/** Readable constructors of PackedDimension. */
namespace packed {

/** Returns a whole dimension. */
inline PackedDimension whole(int source) { return {source, {}, {}}; }
/** Returns the blocks of a dimension. A block has as many elements as these loops have iterations. */
inline PackedDimension blocks_of(int source, std::vector<LoopId> block) {
  return {source, std::move(block), {}};
}
/** Returns the elements within a block of these loops. */
inline PackedDimension within(int source, std::vector<LoopId> block) {
  return {source, {}, std::move(block)};
}
/**
 * Returns the groups within a block: as many as `groups` have iterations, each with as many elements as
 * `group` has iterations.
 */
inline PackedDimension groups_of(int source, std::vector<LoopId> groups, std::vector<LoopId> group) {
  return {source, std::move(group), std::move(groups)};
}

}  // namespace packed

/** A tensor's layout, with the tile lengths of the configuration. */
struct PackedLayout {
  std::string name;
  std::vector<PackedDimension> dimensions;
  int winograd_tile = 0;  ///< as in loop_nest::Layout
};

/** The innermost loops of an order, replaced by one operation of the machine. */
struct Tensorized {
  const Intrinsic* intrinsic = nullptr;  ///< a row of intrinsics()
  std::vector<LoopId> loops;             ///< in the order of the row's `loops`
  /// a knob whose value 0 computes a dot product by multiply-adds of its elements; nullopt: never
  std::optional<KnobId> used_if = {};
};

/** TVM's unrolling of a GPU's kernel: loops whose bodies have few steps are unrolled. */
struct AutoUnroll {
  KnobId max_steps;  ///< a loop nest of at most this many steps is unrolled
  KnobId in_source;  ///< 1: unrolled in the source; 0: with a pragma for the compiler
};

/**
 * Winograd's algorithm for a convolution: the operator is its batched products, one for each element of a
 * transformed tile. The copy of the input holds transformed tiles of the image; sums are collected in local
 * memory, transformed back, and written to the image.
 */
struct TileTransform {
  int tile = 2;           ///< rows and columns of an output tile
  LoopId element_row;     ///< along the rows of a transformed tile; inside the copy's and the results' loops
  LoopId element_column;  ///< the loop in the order after element_row
  LoopId channel_block;   ///< of the input
  LoopId channel_lane;    ///< input channels that are transformed in the lanes of a vector
  LoopId tile_row;        ///< rows of tiles in a block
  LoopId tile_column;     ///< columns of tiles in a block
  LoopId positions;  ///< the tiles of a block: tile_row and tile_column fused, and split into register tiles
  LoopId output_lane;  ///< output channels in the lanes of a vector
};

/** Requires that the product of these loops' lengths is at most `bound`. */
struct ProductBound {
  std::string name;
  std::vector<LoopId> loops;
  std::int64_t bound = 0;
  std::string reason;
};

/**
 * Schedule primitives recorded once for an operator: stages (the operator's sums, copies of what they read,
 * buffers of results), the loops of the sums, and the loop that each stage is attached to. Constraint
 * derivation, lowering and features read only this record. The order of the calls that create knobs is the
 * order of the space's knobs, and so part of a configuration's identity: a template that exchanges two of
 * them needs a new version. Mistakes of a template (an unknown axis, an order that misses a loop) are broken
 * invariants and throw std::logic_error; problems that depend on a task's shape (too many factorizations) are
 * returned by `finish`.
 */
class Schedule {
 public:
  explicit Schedule(task::TensorOperator op);

  /** Names loops for readers of the code, in the order of the loops. */
  void name(const std::vector<LoopId>& loops, const std::vector<std::string>& names);

  /** Returns the number of the tensor with this name: inputs in order, then the output. */
  int tensor(std::string_view name) const;
  /** Returns the loop of the axis with this name. */
  LoopId axis(std::string_view name) const;
  /** Returns true if axis() finds the name: depthwise convolutions have no rc, unbatched products no b. */
  bool has_axis(std::string_view name) const;

  /**
   * Rounds an axis up to a multiple. Every layout of the axis must have room for the padding (a
   * PackedDimension without extent does).
   */
  void pad(LoopId axis, std::int64_t multiple);

  /** Splits a loop by a factorization knob and returns the parts, outermost first. */
  std::vector<LoopId> split(LoopId loop, int parts, const std::string& knob, std::int64_t last_at_most = 0);
  /**
   * Splits a loop into {ceil(length / inner), inner}, where the inner length is an ordinal knob; a remainder
   * is peeled.
   */
  std::vector<LoopId> tile(LoopId loop, const std::string& knob, const std::vector<std::int64_t>& inner);
  /**
   * Splits a loop into {length / the product of the others, then loops of these lengths}. Knobs tile the loop
   * freely, and a limit rejects the configurations whose tile does not divide it.
   */
  std::vector<LoopId> tile_evenly(LoopId loop, const std::vector<LoopLength>& inner);
  /** Splits a loop into {length / inner, inner} with a fixed inner length that divides it. */
  std::vector<LoopId> split_by(LoopId loop, std::int64_t inner);
  /**
   * Fuses loops into one, outermost first; the result can be split as an axis can. The loops must be axes or
   * parts that no other fusion contains, all of the output or all reductions.
   */
  LoopId fuse(const std::vector<LoopId>& loops, const std::string& name);

  /** Adds a knob of whole numbers whose distances have a meaning. finish() reports invalid values. */
  KnobId ordinal(const std::string& name, const std::vector<std::int64_t>& values);
  /** Adds a knob of values without an order. finish() reports invalid values. */
  KnobId categorical(const std::string& name, std::vector<space::KnobValue> values);
  /** Adds a knob of orders of loops; its items have the names of the loops. */
  KnobId permutation(const std::string& name, const std::vector<LoopId>& loops);

  /** Sets the order of all loops that run, outermost first; replaces the previous order. */
  void reorder(std::vector<OrderItem> order);
  /** Runs a loop's iterations as blocks, threads or virtual threads of a GPU. */
  void bind(LoopId loop, Binding binding);
  /** Fuses the outermost loops of the order and distributes their iterations over threads. */
  void parallel(const std::vector<LoopId>& loops);
  /**
   * Gives the last of the parallel blocks its own code in which tiles that overhang the matrix are cut, so
   * that no block needs conditions inside of its tiles.
   */
  void separate_last_blocks() { separates_last_blocks_ = true; }
  /** Runs the loop in vector lanes. */
  void vectorize(LoopId loop);
  /**
   * Replaces these loops, the innermost of the order, by one operation of the machine. The loop of a dot
   * product must run along consecutive elements in every layout of the inputs. A warp's operation has no loop
   * along threadIdx.x, and reads inputs that are cached in fragments.
   */
  void tensorize(const Intrinsic& intrinsic, std::vector<LoopId> loops);
  /**
   * Uses the dot product of tensorize() in configurations in which the knob's value is 1. Others multiply and
   * add the elements of a group one after the other, from the same layouts.
   */
  void tensorize_if(KnobId knob);
  /** Unrolls the loop. */
  void unroll(LoopId loop);
  /** Unrolls the loop in configurations in which the knob's value is 1. */
  void unroll_if(LoopId loop, KnobId knob);
  /** Asks the compiler to unroll the loop by this factor (at most the loop's length). */
  void unroll_hint(LoopId loop, KnobId factor);
  /**
   * Adds a knob with this name that selects one of the loops; 0 is the first. finish() reports invalid loops.
   * The loop `nowhere` leaves the stage out.
   */
  AttachPoint attach_by(const std::string& knob, std::vector<LoopId> loops);
  /**
   * Copies the part of an input that the loops inside `at` read into a separate buffer, in each iteration of
   * `at`: shared by a block's threads, in a thread's registers or local memory, or in a warp's fragments. A
   * second copy of the same input is made from the first, in a loop inside of it.
   */
  void cache_read(int input, loop_nest::BufferScope scope, AttachPoint at, CopyOptions options = {});
  /**
   * Accumulates the output's tile inside `at` in registers or fragments; reductions outside of `at` are
   * accumulated in the output. In shared memory, the tile is a step between the accumulator and the output:
   * it is filled after `at`'s reductions and takes the place of the inputs' copies. In a CPU's local memory,
   * the tile inside `at`, which is outside of all reductions, takes the place of the output until its sums
   * are complete; then it is moved to the output, `lanes` elements at once.
   */
  void cache_write(loop_nest::BufferScope scope, AttachPoint at, CopyOptions options = {});
  /**
   * Computes the operator between Winograd's transforms. It needs a copy of input 0 in local memory that is
   * numbered by loops, and results in local memory, outside of the accumulator.
   */
  void transform_tiles(const TileTransform& transform);
  /**
   * Adds TVM's unrolling with its two knobs, auto_unroll_max_step with these values and unroll_explicit {0,
   * 1}.
   */
  void auto_unroll(const std::vector<std::int64_t>& max_steps);
  /** Sets the layout of tensor `tensor` (inputs in order, then the output). */
  void layout(int tensor, PackedLayout layout);
  /** Sets layouts that are selected by the index of a knob's value. */
  void layout_by(int tensor, KnobId knob, std::vector<PackedLayout> layouts);

  /** Requires of members that the product of these loops' lengths is at most `bound`. */
  void require_product_at_most(const std::string& name, const std::vector<LoopId>& loops, std::int64_t bound,
                               const std::string& reason);

  /**
   * Adds a limit of the target on the product of these loops' lengths. A configuration that exceeds it is a
   * member, but rejected.
   */
  void limit_product(const std::string& name, const std::vector<LoopId>& loops, std::int64_t bound,
                     const std::string& reason);

  /** Requires of members that one loop is at most as long as another. */
  void require_not_longer(LoopId loop, LoopId than, const std::string& reason);
  /** Requires of members that a loop has one of these lengths, in ascending order. */
  void require_length_in(LoopId loop, std::vector<std::int64_t> lengths, const std::string& reason);

  /** Returns the search space, or the reason why the shapes have none. */
  Result<space::SearchSpace> finish() const;

  /**
   * Returns ok if the target supports all recorded primitives and nothing that its lowering needs is missing;
   * otherwise an error that names the wrong or missing primitive.
   */
  Status check(TargetKind target) const;

  /** Returns the operator as given: pad() does not change its extents. */
  const task::TensorOperator& op() const { return op_; }
  /** Returns the loops, by LoopId: the axes first, then parts in the order of the splits. */
  const std::vector<Loop>& loops() const { return loops_; }
  /** Returns a loop; loops that were split keep their number. */
  const Loop& loop(LoopId id) const { return loops_[static_cast<std::size_t>(id.number)]; }
  /** Returns the knobs of the space, by KnobId and in the order of the space. */
  const std::vector<space::Knob>& knobs() const { return knobs_; }
  /** Returns the order, outermost first; knobs may still choose within an item. */
  const std::vector<OrderItem>& order() const { return order_; }
  /** Returns true if separate_last_blocks() was called. */
  bool separates_last_blocks() const { return separates_last_blocks_; }
  /** Returns the loops that are distributed over the threads of a CPU; empty if there are none. */
  const std::vector<LoopId>& parallel_loops() const { return parallel_; }
  /** Returns the limits of the target that the template set with limit_product(). */
  const std::vector<ProductBound>& product_limits() const { return product_limits_; }
  /**
   * Returns the stages: the sums first, then copies and buffers of results in the order in which they were
   * recorded.
   */
  const std::vector<Stage>& stages() const { return stages_; }
  /** Returns the stages of one kind in a scope, in order. */
  std::vector<const Stage*> stages(StageKind kind, loop_nest::BufferScope scope) const;
  /**
   * Returns the stage in which the sums accumulate: the first buffer of results; null if none was recorded.
   */
  const Stage* accumulator() const;
  /**
   * Returns the operation that replaces the innermost loops; nullopt if operations compute single elements.
   */
  const std::optional<Tensorized>& tensorized() const { return tensorized_; }
  /** Returns the loop of a dot product's groups; nullopt if there is no dot product. */
  std::optional<LoopId> dot_group() const;
  /** Returns true if a configuration adds up a dot product's groups by multiply-adds of their elements. */
  bool multiplies_elements(const space::Configuration& configuration) const;
  /** Returns the transforms around the operator; nullopt if transform_tiles() was not called. */
  const std::optional<TileTransform>& tile_transform() const { return tile_transform_; }
  /** Returns the knobs of auto_unroll(); nullopt if it was not called. */
  const std::optional<AutoUnroll>& unrolling() const { return auto_unroll_; }
  LoopId root(int axis) const { return LoopId{axis}; }  ///< the loop of an axis before any split
  /** Returns true if pad() was called for the axis: tensors have room for it. */
  bool padded(int axis) const { return padded_[static_cast<std::size_t>(axis)]; }

  /** Returns the loops in nesting order for a configuration. */
  std::vector<LoopId> ordered_loops(const space::Configuration& configuration) const;
  /** Returns the number of iterations of a loop; a last, partial tile counts as one. */
  std::int64_t length(LoopId loop, const space::Configuration& configuration) const;
  /** Returns a number knob's value, or the first factor of a factorization. */
  std::int64_t knob_value(KnobId knob, const space::Configuration& configuration) const;
  /** Returns the layout in which a configuration stores a tensor (inputs in order, then the output). */
  const PackedLayout& layout_of(int tensor, const space::Configuration& configuration) const;
  /** Returns the loop that a stage is attached to; `nowhere` if the configuration leaves it out. */
  LoopId attached_at(const Stage& stage, const space::Configuration& configuration) const;
  /** Returns the logical dimension of a tensor that is innermost in all of its layouts. */
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
  struct LengthCandidates {
    LoopId loop;
    std::vector<std::int64_t> lengths;
    std::string reason;
  };

  KnobId add_knob(Result<space::Knob> knob);
  LoopId add_part(LoopId whole, std::size_t number, LoopLength length);
  std::int64_t fixed_length(LoopId loop) const;
  Loop& at(LoopId id) { return loops_[static_cast<std::size_t>(id.number)]; }

  task::TensorOperator op_;
  std::vector<Loop> loops_;
  std::vector<bool> padded_;
  std::vector<space::Knob> knobs_;
  std::vector<OrderItem> order_;
  std::vector<LoopId> parallel_;
  bool separates_last_blocks_ = false;
  std::vector<Stage> stages_;
  std::optional<Tensorized> tensorized_;
  std::optional<TileTransform> tile_transform_;
  std::optional<AutoUnroll> auto_unroll_;
  std::vector<TensorLayouts> layouts_;
  std::vector<ProductBound> bounds_;
  std::vector<ProductBound> product_limits_;
  std::vector<LengthOrder> length_orders_;
  std::vector<LengthCandidates> length_candidates_;
  std::optional<Error> error_;
};

}  // namespace kernelscape::schedule
