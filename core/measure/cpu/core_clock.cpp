#include "core/measure/cpu/core_clock.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace kernelscape::measure {
namespace {

constexpr std::int64_t additions_per_round = 64;
constexpr std::int64_t clock_rounds = 20'000;  // takes about a third of a millisecond
constexpr int clock_stretches = 60;

/**
 * Runs a chain of dependent additions. The empty asm hides each sum from the compiler, so that no two
 * additions are merged.
 */
std::uint64_t chain_of_additions(std::uint64_t step) {
  std::uint64_t sum = 0;
  for (std::int64_t round = 0; round < clock_rounds; ++round) {
#pragma GCC unroll 64
    for (std::int64_t addition = 0; addition < additions_per_round; ++addition) {
      sum += step;
      asm volatile("" : "+r"(sum));
    }
  }
  return sum;
}

}  // namespace

double measure_core_clock_hertz() {
  using Steady = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::max();
  std::uint64_t unread = 0;
  for (int stretch = 0; stretch < clock_stretches; ++stretch) {
    const auto start = Steady::now();
    unread += chain_of_additions(static_cast<std::uint64_t>(stretch) + 1);
    least = std::min(least, std::chrono::duration<double>(Steady::now() - start).count());
  }
  asm volatile("" : : "r"(unread));
  return static_cast<double>(additions_per_round * clock_rounds) / least;
}

}  // namespace kernelscape::measure
