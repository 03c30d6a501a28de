#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernelscape::graph {

/** A buffer that is in use from the start of its first step to the end of its last step. */
struct BufferUse {
  std::int64_t bytes = 0;
  std::size_t first_step = 0;
  std::size_t last_step = 0;

  bool operator==(const BufferUse&) const = default;
};

/** Places of buffers in one block of memory. */
struct MemoryPlan {
  std::vector<std::int64_t> offsets;  ///< of the buffers in bytes, each a multiple of the alignment
  std::int64_t arena_bytes = 0;       ///< size of the block, a multiple of the alignment
};

/**
 * Places buffers in one arena so that no two buffers that are in use in the same step overlap. Each buffer
 * goes to the tightest gap between those placed before (Pisarchyk and Lee, "Efficient Memory Management for
 * Deep Neural Net Inference", 2020, section 5); among several orders of placing, the one with the smallest
 * arena is kept. Equal inputs give equal plans.
 * @param alignment of the offsets in bytes, a power of two
 */
MemoryPlan plan_memory(std::span<const BufferUse> buffers, std::int64_t alignment);

/**
 * Returns the bytes that no plan can go below: the largest sum of the sizes, rounded up to the alignment, of
 * the buffers that are in use in one step.
 */
std::int64_t arena_bytes_at_least(std::span<const BufferUse> buffers, std::int64_t alignment);

}  // namespace kernelscape::graph
