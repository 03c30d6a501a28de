#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/schedule/loop_touches.h"
#include "core/schedule/template.h"

namespace kernelscape::schedule {

/**
 * Numbers that determine the speed of a kernel and have the same meaning for every task, so that a model
 * learnt on one task is valid for another. They are estimated from the loops alone, as log2 except for the
 * registers:
 *
 * - iterations over multiply-adds needed: the waste of overhanging tiles;
 * - iterations that run in parallel, and the work of the slowest core relative to the average;
 * - lanes of a vector, unrolled iterations;
 * - output elements that the innermost loops hold (those inside the innermost serial loop), the share of the
 *   vector registers that these fill, and operand elements that they read per multiply-add;
 * - for the L1, L2 and L3 cache: bytes per multiply-add that are read from beyond the cache, and the share of
 *   the cache that is filled by the largest part of the nest that fits into it.
 */
class KernelSummary {
 public:
  static constexpr std::size_t cache_levels = 3;
  static constexpr std::size_t columns = 8 + 2 * cache_levels;
  static const std::array<const char*, columns> names;

  /** @param tensor_names names in the order of the touches */
  KernelSummary(const ScheduledKernel& kernel, std::span<const std::string> tensor_names);

  /**
   * Writes the numbers of a configuration.
   * @param loops of the configuration, outermost first
   * @param row `columns` numbers
   */
  void write(std::span<const TouchedLoop> loops, std::span<float> row) const;

 private:
  struct CacheUse {
    double bytes = 0;  ///< bytes read from beyond the cache
    double share = 1;  ///< share of the cache that is filled
  };
  double footprint(const TouchedLoop& loop) const;
  CacheUse use_of_cache(std::span<const TouchedLoop> loops, std::int64_t bytes) const;

  double multiply_adds_ = 1;
  double cores_ = 1;
  double lanes_ = 1;
  double registers_ = 1;
  bool dots_ = false;                                     ///< the innermost loop is replaced by an intrinsic
  std::size_t output_ = 0;                                ///< position of the output among the touches
  std::array<double, touched_tensors> element_bytes_{};   ///< by touch
  std::array<std::int64_t, cache_levels> cache_bytes_{};  ///< 0: there is no such cache
};

}  // namespace kernelscape::schedule
