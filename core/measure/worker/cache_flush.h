#pragma once

#include <cstddef>

namespace kernelscape::measure {

/** Drops a range of memory from all caches of the machine. */
void flush_from_caches(const void* data, std::size_t bytes);

}  // namespace kernelscape::measure
