#pragma once

#include <cstddef>

namespace kernelscape {

/** Drops a range of memory from all caches of the machine. */
void flush_from_caches(const void* data, std::size_t bytes);

}  // namespace kernelscape
