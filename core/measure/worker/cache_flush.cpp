#include "core/measure/worker/cache_flush.h"

#include <algorithm>
#include <vector>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kernelscape::measure {
namespace {

constexpr std::size_t line_bytes = 64;

#if defined(__x86_64__)
/** Returns true if the processor can flush lines without waiting for each, which is fifty times as fast. */
bool has_clflushopt() {
  constexpr unsigned int clflushopt_bit = 1U << 23;
  unsigned int a = 0;
  unsigned int b = 0;
  unsigned int c = 0;
  unsigned int d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & clflushopt_bit) != 0;
}

__attribute__((target("clflushopt"))) void flush_at_once(const char* start, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line_bytes) __builtin_ia32_clflushopt(start + i);
}
#endif

}  // namespace

void flush_from_caches(const void* data, std::size_t bytes) {
#if defined(__x86_64__)
  static const bool at_once = has_clflushopt();
  const auto* start = static_cast<const char*>(data);
  if (at_once)
    flush_at_once(start, bytes);
  else
    for (std::size_t i = 0; i < bytes; i += line_bytes) __builtin_ia32_clflush(start + i);
  __builtin_ia32_mfence();
#elif defined(__aarch64__)
  const auto* start = static_cast<const char*>(data);
  for (std::size_t i = 0; i < bytes; i += line_bytes)
    asm volatile("dc civac, %0" : : "r"(start + i) : "memory");
  asm volatile("dsb sy" : : : "memory");
#else
  // Without such an instruction, the data are evicted by reading a buffer larger than them and any cache.
  (void)data;
  std::vector<char> other(std::max<std::size_t>(2 * bytes, 128 << 20));
  for (std::size_t i = 0; i < other.size(); i += line_bytes) *static_cast<volatile char*>(&other[i]) = 1;
#endif
}

}  // namespace kernelscape::measure
