#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/loop_nest/layout.h"

namespace kernelscape::exchange {

/**
 * A tensor as a loop over the elements of a shape sees it. `layout.shape` has as many dimensions as that
 * shape; a dimension of extent 1 is read again for every index (broadcasting).
 */
struct TensorView {
  loop_nest::Layout layout;
  std::int64_t base = 0;                ///< physical offset of the first element, in elements
  std::vector<std::int64_t> step = {};  ///< index step per dimension; empty: 1 everywhere
};

/** A loop with the change of each view's physical offset per iteration. */
struct StridedLoop {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;  ///< by view
};

/** A nest of loops, outermost first, with the offset of each view at its start. */
struct StridedNest {
  std::vector<std::int64_t> bases;  ///< by view
  std::vector<StridedLoop> loops;
};

/**
 * Returns loops that visit every index of a shape once, in the order of the memory of the first view. A
 * layout whose blocks do not divide a dimension needs a nest of its own for the remainder. Loops that are
 * contiguous in all views are joined. Returns nullopt if the blocks of the views do not divide each other.
 */
std::optional<std::vector<StridedNest>> strided_nests(const std::vector<std::int64_t>& shape,
                                                      std::span<const TensorView> views);

/**
 * Returns the same memory order for another shape of as many elements: NCHW16c of [1, 64, 1, 3136] as one of
 * [1, 64, 56, 56]. Returns nullopt if a part of the layout extends over a border of the new shape's
 * dimensions.
 */
std::optional<loop_nest::Layout> reshaped(const loop_nest::Layout& layout,
                                          const std::vector<std::int64_t>& shape);

/** Returns true if elements of both layouts, which have one shape, have the same offsets. */
bool same_order(const loop_nest::Layout& one, const loop_nest::Layout& other);

/** Returns true if the layout is row-major without gaps. */
bool is_row_major(const loop_nest::Layout& layout);

/** Returns true if the layout's memory has places that no element uses. */
bool has_gaps(const loop_nest::Layout& layout);

/**
 * Returns NCHWc: the channels, which are dimension 1, in blocks of `block` elements, which are innermost; 1
 * is row-major.
 */
loop_nest::Layout blocked_channels(const std::vector<std::int64_t>& shape, std::int64_t block);

/** Returns the block of a layout that is blocked_channels() without gaps; 1: row-major; 0: another layout. */
std::int64_t channel_block(const loop_nest::Layout& layout);

/** Returns the layout of a tensor with dimensions of extent 1 in front, so that it has `rank` dimensions. */
loop_nest::Layout with_rank(loop_nest::Layout layout, std::size_t rank);

}  // namespace kernelscape::exchange
