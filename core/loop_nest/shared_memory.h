#pragma once

#include <cstdint>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape::loop_nest {

/** Returns the number of elements of a register, shared or fragment buffer. */
std::int64_t element_count(const Buffer& buffer);

/**
 * Returns the bytes of one element of a buffer. @throws std::logic_error for a type that GPUs do not compute
 * with
 */
std::int64_t element_bytes(const Buffer& buffer);

/**
 * The placement of a block's shared buffers. A buffer follows the buffers that are alive around it, so that
 * buffers with disjoint lifetimes share the same place. A barrier must separate their uses.
 */
struct SharedMemory {
  std::vector<std::int64_t> first_bytes;  ///< by number of the buffer; 0 for buffers of other scopes
  std::int64_t bytes = 0;                 ///< static shared memory of a block
  bool overlaid = false;                  ///< true if several buffers share the same place
};

/**
 * Places all shared buffers of the nest by their allocations.
 * @throws std::logic_error for an element type that GPUs do not compute with
 */
SharedMemory place_shared_buffers(const LoopNest& nest);

}  // namespace kernelscape::loop_nest
