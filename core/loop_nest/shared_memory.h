#pragma once

#include <cstdint>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape {

/** Elements of a register, shared or fragment buffer. */
std::int64_t element_count(const Buffer& buffer);

/** Bytes of one element of a buffer that GPUs compute with. @throws std::logic_error for another type */
std::int64_t element_bytes(const Buffer& buffer);

/**
 * Where a block's shared buffers lie: a buffer follows those that are alive around it, so that buffers whose
 * lifetimes are apart lie in the same place. A barrier has to stand between the uses of these.
 */
struct SharedMemory {
  std::vector<std::int64_t> first_bytes;  ///< by number of the buffer; 0 for those of other scopes
  std::int64_t bytes = 0;                 ///< static shared memory of a block
  bool overlaid = false;                  ///< whether buffers lie in the same place
};

/**
 * Lays out all shared buffers of the nest by where it allocates them. @throws std::logic_error for an
 * element type that GPUs don't compute with
 */
SharedMemory place_shared_buffers(const LoopNest& nest);

}  // namespace kernelscape
