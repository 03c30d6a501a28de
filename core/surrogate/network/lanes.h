#pragma once

#include <cstddef>

#include "core/surrogate/network/float_buffer.h"

/**
 * A function that is compiled for several vector units, and chosen when the program starts. Sanitizers stop
 * what runs that early.
 */
#if defined(__x86_64__) && !defined(KERNELSCAPE_SANITIZED)
#define KERNELSCAPE_VECTOR_UNITS [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define KERNELSCAPE_VECTOR_UNITS
#endif

/** What such a function calls has to be compiled with it. */
#define KERNELSCAPE_INLINE [[gnu::always_inline]] inline

namespace kernelscape {

constexpr std::size_t lane_count = 16;
static_assert(block_rows % lane_count == 0);

/** Sixteen neighbours of a matrix's row, in as many registers as it takes. They are never passed or returned
 * by value: how depends on the vector unit. */
using Lanes [[gnu::vector_size(64), gnu::may_alias]] = float;

/** The sixteen numbers from this place on, which stands at a multiple of 64 bytes. */
KERNELSCAPE_INLINE Lanes& lanes_at(float* place) { return *reinterpret_cast<Lanes*>(place); }
/** The same, to read. */
KERNELSCAPE_INLINE const Lanes& lanes_at(const float* place) {
  return *reinterpret_cast<const Lanes*>(place);
}

}  // namespace kernelscape
