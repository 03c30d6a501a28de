#include "core/measure/worker/cache_flush.h"

#include <algorithm>
#include <vector>

namespace kernelscape {

void flush_from_caches(const void* data, std::size_t bytes) {
  constexpr std::size_t line_bytes = 64;
#if defined(__x86_64__)
  const auto* start = static_cast<const char*>(data);
  for (std::size_t i = 0; i < bytes; i += line_bytes) __builtin_ia32_clflush(start + i);
  __builtin_ia32_mfence();
#else
  // Without such an instruction, the data are evicted by reading a buffer larger than them and any cache.
  (void)data;
  std::vector<char> other(std::max<std::size_t>(2 * bytes, 128 << 20));
  for (std::size_t i = 0; i < other.size(); i += line_bytes) *static_cast<volatile char*>(&other[i]) = 1;
#endif
}

}  // namespace kernelscape
