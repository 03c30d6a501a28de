#pragma once

#include <cstddef>

#include "core/surrogate/network/float_buffer.h"

/**
 * Marks a function that is compiled for several vector units, one of which is chosen when the program starts.
 * Disabled with sanitizers, which abort code that runs that early.
 */
#if defined(__x86_64__) && !defined(KERNELSCAPE_SANITIZED)
#define KERNELSCAPE_VECTOR_UNITS [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define KERNELSCAPE_VECTOR_UNITS
#endif

/** Marks a function that such functions call, so that it is compiled together with them. */
#define KERNELSCAPE_INLINE [[gnu::always_inline]] inline

namespace kernelscape::surrogate {

constexpr std::size_t lane_count = 16;
static_assert(block_rows % lane_count == 0);

/**
 * Sixteen consecutive numbers of a matrix's row, in as many registers as necessary. Never passed or returned
 * by value, since the calling convention depends on the vector unit.
 */
using Lanes [[gnu::vector_size(64), gnu::may_alias]] = float;

/** Returns the sixteen numbers that start at `place`, which must be a multiple of 64 bytes. */
KERNELSCAPE_INLINE Lanes& lanes_at(float* place) { return *reinterpret_cast<Lanes*>(place); }
/**
 * Returns read-only access to the sixteen numbers that start at `place`, which must be a multiple of 64
 * bytes.
 */
KERNELSCAPE_INLINE const Lanes& lanes_at(const float* place) {
  return *reinterpret_cast<const Lanes*>(place);
}

}  // namespace kernelscape::surrogate
