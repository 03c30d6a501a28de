#pragma once

#include <cstdint>

#include "core/base/memory_level.h"
#include "core/base/result.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape {

/** The caches that a nest runs on; 0 bytes: there is no such cache. */
struct CacheSizes {
  std::int64_t l1_bytes = 0;  ///< of each thread
  std::int64_t l2_bytes = 0;  ///< of each thread
  std::int64_t l3_bytes = 0;  ///< of all threads together
  std::int64_t line_bytes = 64;
  int threads = 1;
};

/** Bytes that come from a level and go to it, in one call of the kernel, all threads together. */
struct LevelTraffic {
  double bytes = 0;
  /** Everything that the kernel touches fits into a nearer cache: called again and again, it moves nothing of
   * this; `bytes` are those of a first call. */
  bool stays_nearer = false;

  bool operator==(const LevelTraffic&) const = default;
};

/** What a loop nest moves. An estimate from its loops, never a measurement. */
struct TrafficEstimate {
  /** L1: loads and stores of the registers; L2: lines between L1 and L2; memory: lines beyond the last cache.
   * A cache that is not there passes on what the nearer one asks for. */
  PerLevel<LevelTraffic> levels{};
  double footprint_bytes = 0;  ///< distinct lines of all buffers

  bool operator==(const TrafficEstimate&) const = default;
};

/**
 * Estimates what a CPU's loop nest moves between the levels, before or after any pass.
 *
 * For each loop it counts the distinct lines that each buffer's accesses touch. Where one iteration of a loop
 * fits into a cache, what its iterations share is fetched once; where it does not, each iteration fetches its
 * own. Caches are fully associative, written lines are fetched and written back, parallel iterations are
 * dealt out in equal runs to the threads, which move on together. Registers hold what is accessed again
 * inside loops that are unrolled or vectorized; local arrays lie in memory as arguments do. Conditions are
 * taken to hold.
 *
 * Refused: a GPU's nest.
 */
Result<TrafficEstimate> estimate_traffic(const LoopNest& nest, const CacheSizes& caches);

}  // namespace kernelscape
