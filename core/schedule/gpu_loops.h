#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/schedule/lowered_loops.h"

namespace kernelscape {

/** Where a GPU runs the iterations of a loop. */
enum class GpuPlace : std::uint8_t { Block, Thread, VirtualThread, Serial };

/** Where a binding puts a loop's iterations; Serial for None, and for Parallel, which is a CPU's. */
GpuPlace place_of(Binding binding);

/** A box of a tensor's elements that a copy holds: one extent per dimension of the tensor. */
struct CopyTile {
  std::vector<std::int64_t> extents;
  std::vector<IndexExpression> first;  ///< index into the tensor of the tile's first element, per dimension

  std::int64_t elements() const;  ///< of the whole box: the product of its extents
};

/** What lowerings of a GPU's schedules share beyond all: the indices that a launch gives, parts of tensors.
 */
class GpuLoops : public LoweredLoops {
 public:
  GpuLoops(const Schedule& schedule, const Configuration& configuration);

  /**
   * Place in the nesting order, 0 being outermost. @throws std::logic_error where the order misses the loop
   */
  std::size_t position(LoopId loop) const;
  /** Where the loop runs, by its binding in the schedule. */
  GpuPlace place(LoopId loop) const { return place_of(schedule().loop(loop).binding); }

  /** Threads of a block, and a thread's number among them: x runs fastest. */
  std::int64_t threads() const { return threads_; }
  /** x + threads_x * (y + threads_y * z). */
  const IndexExpression& thread() const { return thread_; }

  /** The index of every axis, counting the chosen loops alone. */
  std::vector<IndexExpression> axis_values(const LoopFilter& chosen) const;
  /** How many values an axis's chosen loops run through. */
  std::int64_t axis_extent(std::size_t axis, const LoopFilter& chosen) const;

  /** Indices into tensor `number` at these axes. */
  std::vector<IndexExpression> tensor_indices(std::size_t number,
                                              const std::vector<IndexExpression>& axes) const;
  /** What the chosen loops touch of a tensor while the others stand still. */
  CopyTile tile(std::size_t tensor, const LoopFilter& chosen) const;
  /** The place in a tile of what the chosen loops touch: indices without the tile's first element. */
  std::vector<IndexExpression> tile_indices(std::size_t tensor, const LoopFilter& chosen) const;

  /** The loops around a body, outermost first; each runs serially, unrolled by the compiler where the
   * schedule or a short virtual thread asks for it. */
  StatementPtr wrap(const std::vector<LoopId>& loops, StatementPtr body) const;

  /** A launch's indices bound to the block and thread loops around the body. */
  StatementPtr bind_launch(StatementPtr body) const { return bind(decoded_, std::move(body)); }

 private:
  void add_launch_index(LaunchDimension dimension, Binding binding);
  std::int64_t extent_of(LoopId loop, const LoopFilter& chosen) const;

  std::vector<Decoded> decoded_;  ///< where several loops share a launch index
  std::int64_t threads_ = 1;
  IndexExpression thread_;
};

/** Logical dimensions of a tensor in the order in which it lies in memory, outermost first. */
std::vector<std::size_t> storage_order(const Layout& layout);

/** Indices of the element with this number in a box that is stored in an order of its dimensions. */
std::vector<IndexExpression> box_indices(const std::vector<std::int64_t>& extents,
                                         const std::vector<std::size_t>& order,
                                         const IndexExpression& element, const Ranges& ranges);

/** The offset of indices into such a box, whose innermost rows take `row_elements`. */
IndexExpression padded_box_offset(const std::vector<std::int64_t>& extents,
                                  const std::vector<std::size_t>& order, std::int64_t row_elements,
                                  const std::vector<IndexExpression>& indices);

/**
 * The threads of a block go through `groups` groups of `lanes` elements together, each thread one group after
 * the other; `body` is what is done to the group whose first element has this number. `name` is for its
 * variables.
 */
StatementPtr cooperate(GpuLoops& loops, const std::string& name, std::int64_t groups, std::int64_t lanes,
                       const std::function<StatementPtr(const IndexExpression& element)>& body);

/** Where a block keeps its tile of an input. */
struct SharedTile {
  std::size_t input = 0;
  int buffer = 0;
  CopyTile tile;
  std::int64_t row_elements = 0;  ///< of a row of the innermost dimension with its padding
  IndexExpression first_offset;   ///< in elements: which of several copies
  std::int64_t lanes = 1;         ///< most elements of one load
};

/**
 * All threads of the block copy a tile into shared memory: one after the other along the tile, several
 * elements at once where `lanes` divide the rows of tile and tensor; zero where the tensor reads padding.
 */
StatementPtr cooperative_copy(GpuLoops& loops, const SharedTile& shared);

}  // namespace kernelscape
