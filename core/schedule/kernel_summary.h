#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/schedule/loop_touches.h"
#include "core/schedule/template.h"

namespace kernelscape {

/**
 * What decides the speed of a kernel whatever its task, in numbers that mean the same for every task, so that
 * what was learnt of one holds for another. Estimates from the loops alone, as log2 but for the registers:
 *
 * - iterations over multiply-adds needed: what overhanging tiles waste;
 * - iterations that run in parallel, and how much longer the slowest core works than all do on average;
 * - lanes of a vector, unrolled iterations;
 * - output elements that the innermost loops hold (those inside the innermost serial loop), the share of the
 *   vector registers that these fill, and operand elements that they read per multiply-add;
 * - for the L1, L2 and L3 cache: bytes that come from beyond it per multiply-add, and the share of it that
 * the largest part of the nest fills that fits into it.
 */
class KernelSummary {
 public:
  static constexpr std::size_t cache_levels = 3;
  static constexpr std::size_t columns = 8 + 2 * cache_levels;
  static const std::array<const char*, columns> names;

  /** @param tensor_names in the order of the touches */
  KernelSummary(const ScheduledKernel& kernel, std::span<const std::string> tensor_names);

  /** @param loops of a configuration, outermost first @param row `columns` numbers */
  void write(std::span<const TouchedLoop> loops, std::span<float> row) const;

 private:
  struct CacheUse {
    double bytes = 0;  ///< that come from beyond
    double share = 1;  ///< of the cache
  };
  double footprint(const TouchedLoop& loop) const;
  CacheUse use_of_cache(std::span<const TouchedLoop> loops, std::int64_t bytes) const;

  double multiply_adds_ = 1;
  double cores_ = 1;
  double lanes_ = 1;
  double registers_ = 1;
  bool dots_ = false;                                     ///< the innermost loop is an operation's own
  std::size_t output_ = 0;                                ///< among the touches
  std::array<double, touched_tensors> element_bytes_{};   ///< by touch
  std::array<std::int64_t, cache_levels> cache_bytes_{};  ///< 0: there is none
};

}  // namespace kernelscape
