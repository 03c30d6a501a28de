#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/target.h"
#include "core/space/search_space.h"
#include "core/task/tensor_operator.h"

namespace kernelscape {

/** Numbers of things in a schedule. */
struct LoopId {
  int number = -1;
  bool operator==(const LoopId&) const = default;
};
struct KnobId {
  int number = -1;
  bool operator==(const KnobId&) const = default;
};

/** Iterations of a loop: fixed, a knob's element, or what is left of another loop once it is tiled. */
struct LoopLength {
  enum class Kind : std::uint8_t { Fixed, Element, CeilQuotient, Quotient };
  Kind kind = Kind::Fixed;
  std::int64_t fixed = 1;
  KnobId knob;       ///< Element
  int position = 0;  ///< Element
  LoopId whole;      ///< CeilQuotient: ceil(length(whole) / length(tile))
  LoopId tile;
  std::vector<LoopId> divisors{};  ///< Quotient: ceil(fixed / the product of their lengths), which limits
                                   ///< want to be whole

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

/** A tensor's layout, its tiles being as long as the configuration says. */
struct PackedLayout {
  std::string name;
  std::vector<PackedDimension> dimensions;
};

/** A copy of an input's tile, shared by a block's threads, made inside a loop (its copies live at the same
 * time). */
struct SharedCopy {
  int input = 0;
  LoopId at;
  std::int64_t copies = 1;              ///< 2: double buffered
  std::int64_t lanes = 1;               ///< most elements that a thread loads at once, where rows allow it
  std::optional<KnobId> row_padding{};  ///< a knob whose value is added to the rows of the tile
  std::optional<KnobId> lanes_by{};     ///< a knob whose value is `lanes`
};

/** The output's tile of a block on its way through shared memory, once `at`'s reductions are done: it lies
 * where the inputs' copies were. */
struct SharedResult {
  LoopId at;
  KnobId row_padding;  ///< its value is added to the rows of the tile
  KnobId lanes;        ///< its value is how many elements a thread stores at once
};

/**
 * The innermost tile as a warp's multiply-accumulate on tensor cores (WMMA: 16x16x16, 8x32x16 or 32x8x16):
 * these loops' lengths are its shape, and fragments replace registers. The warp's threads are threadIdx.x.
 */
struct TensorCoreTile {
  static constexpr std::int64_t warp_threads = 32;
  LoopId row;
  LoopId column;
  LoopId depth;
};

/** A thread's copy of what it needs of a shared tile, in registers, made inside a loop. */
struct RegisterCopy {
  int input = 0;
  LoopId at;
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
 * Schedule primitives recorded once for an operator. Constraint derivation, lowering and features read this
 * record and nothing else. Mistakes of a template (an unknown axis, an order that misses a loop) are broken
 * invariants and throw std::logic_error; what depends on a task's shape (too many factorizations) is the
 * error of `finish`.
 */
class Schedule {
 public:
  explicit Schedule(TensorOperator op);

  /** Names for readers of the code, in the order of the loops. */
  void name(const std::vector<LoopId>& loops, const std::vector<std::string>& names);

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
   * One operation takes the whole reduction loop: a dot product in each lane (vpdpbusd, of four bytes). The
   * loop is the innermost of the order, and runs along consecutive elements in every layout of the inputs.
   */
  void dot_product(LoopId group);
  /** Writes the loop's iterations out one after the other. */
  void unroll(LoopId loop);
  /** The same in configurations in which the knob's value is 1. */
  void unroll_if(LoopId loop, KnobId knob);
  /** Leaves it to the compiler, asked for this many iterations at a time (at most the loop's length). */
  void unroll_hint(LoopId loop, KnobId factor);
  /** The output's tile inside `at` is kept in registers; reductions outside of it are carried in the output.
   */
  void accumulate_in_registers(LoopId at);
  /**
   * Threads of a block share a tile of an input in shared memory, filled anew inside `at`: see SharedCopy.
   */
  void cache_shared(int input, LoopId at, std::int64_t copies = 1, std::int64_t lanes = 1);
  /** The same with padded rows, both numbers being knobs; rows run along the innermost dimension of the
   * layout.
   */
  void cache_shared_padded(int input, LoopId at, KnobId row_padding, KnobId lanes);
  /** The block's result goes to memory through shared memory, in padded rows: see SharedResult. */
  void store_through_shared(LoopId at, KnobId row_padding, KnobId lanes);
  /** Innermost loops become a warp's multiply-accumulate on tensor cores: see TensorCoreTile. */
  void tensorize(LoopId row, LoopId column, LoopId depth);
  /** A thread copies what it needs of the input's shared tile into registers inside `at`. */
  void cache_registers(int input, LoopId at);
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
  /** The loop that one operation takes whole; none: operations take single elements. */
  std::optional<LoopId> dot_group() const { return dot_group_; }
  /** The loop inside which registers hold the output's tile; none: not asked for. */
  std::optional<LoopId> registers_at() const { return registers_at_; }
  /** Inputs that lie in shared memory; empty on a CPU. */
  const std::vector<SharedCopy>& shared_copies() const { return shared_; }
  /** How results pass through shared memory; none: they go to memory directly. */
  const std::optional<SharedResult>& shared_result() const { return shared_result_; }
  /** The loops that a warp's operations replace; none: ordinary arithmetic. */
  const std::optional<TensorCoreTile>& tensor_core_tile() const { return tensor_core_tile_; }
  /** Inputs that pass through registers. */
  const std::vector<RegisterCopy>& register_copies() const { return register_copies_; }
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
  std::optional<LoopId> dot_group_;
  std::optional<LoopId> registers_at_;
  std::vector<SharedCopy> shared_;
  std::optional<SharedResult> shared_result_;
  std::optional<TensorCoreTile> tensor_core_tile_;
  std::vector<RegisterCopy> register_copies_;
  std::optional<AutoUnroll> auto_unroll_;
  std::vector<TensorLayouts> layouts_;
  std::vector<ProductBound> bounds_;
  std::vector<ProductBound> product_limits_;
  std::vector<LengthOrder> length_orders_;
  std::optional<Error> error_;
};

}  // namespace kernelscape
