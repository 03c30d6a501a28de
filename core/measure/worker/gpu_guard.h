#pragma once

#include <cstddef>

namespace kernelscape {

/** Bytes behind what a GPU's kernel writes, where one that goes beyond it is noticed. */
inline constexpr std::size_t gpu_guard_bytes = 4096;

/** What stands there behind vectors of a user's kernel. */
inline constexpr std::byte gpu_guard{0xA5};

}  // namespace kernelscape
