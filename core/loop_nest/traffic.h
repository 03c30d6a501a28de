#pragma once

#include <cstdint>

#include "core/base/memory_level.h"
#include "core/base/result.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape::loop_nest {

/** The caches of the processor that runs a nest; 0 bytes: there is no such cache. */
struct CacheSizes {
  std::int64_t l1_bytes = 0;  ///< of each thread
  std::int64_t l2_bytes = 0;  ///< of each thread
  std::int64_t l3_bytes = 0;  ///< of all threads together
  std::int64_t line_bytes = 64;
  int threads = 1;
};

/** The bytes read from a level and written to it in one call of the kernel, over all threads. */
struct LevelTraffic {
  double bytes = 0;
  /**
   * All data that the kernel accesses fit into a nearer cache: repeated calls move nothing to or from this
   * level; `bytes` are those of a first call.
   */
  bool stays_nearer = false;

  bool operator==(const LevelTraffic&) const = default;
};

/** The memory traffic of a loop nest, estimated from its loops, never measured. */
struct TrafficEstimate {
  /**
   * L1: loads and stores of the registers; L2: lines between L1 and L2; memory: lines beyond the last cache.
   * A missing cache passes on the requests of the nearer one.
   */
  base::PerLevel<LevelTraffic> levels{};
  double footprint_bytes = 0;  ///< distinct lines of all buffers

  bool operator==(const TrafficEstimate&) const = default;
};

/**
 * Estimates the traffic of a CPU's loop nest between the memory levels, before or after any pass.
 *
 * For each loop it counts the distinct lines that each buffer's accesses touch. If one iteration of a loop
 * fits into a cache, data shared by its iterations are fetched once; otherwise each iteration fetches its
 * own. Caches are fully associative; written lines are fetched and written back; parallel iterations are
 * distributed in equal runs over the threads, which advance together. Registers hold the data that are
 * accessed again inside loops that are unrolled or vectorized; local arrays are in memory as arguments are.
 * Conditions are assumed to hold.
 *
 * Refused for a GPU's nest.
 */
Result<TrafficEstimate> estimate_traffic(const LoopNest& nest, const CacheSizes& caches);

}  // namespace kernelscape::loop_nest
