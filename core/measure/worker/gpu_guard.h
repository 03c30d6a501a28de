#pragma once

#include <cstddef>

namespace kernelscape::measure {

/** Number of guard bytes behind a GPU kernel's output, which detect writes beyond it. */
inline constexpr std::size_t gpu_guard_bytes = 4096;

/** Value of the guard bytes behind vectors of a user's kernel. */
inline constexpr std::byte gpu_guard{0xA5};

}  // namespace kernelscape::measure
