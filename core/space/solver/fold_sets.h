#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/int128.h"
#include "core/space/value_range.h"

namespace kernelscape::space {

/** Operation by which PROD and SUM combine their operands. */
enum class FoldKind : std::uint8_t { Product, Sum };

/** Returns the neutral element. */
constexpr base::int128 neutral_of(FoldKind kind) { return kind == FoldKind::Product ? 1 : 0; }

/** Combines two numbers. The result is exact after `saturate`, even after further combinations. */
constexpr base::int128 join_numbers(FoldKind kind, base::int128 a, base::int128 b) {
  return kind == FoldKind::Product ? wide_multiply(a, b) : a + b;
}

/** Returns the range of the combination of two numbers in ranges. */
WideRange join_ranges(FoldKind kind, const WideRange& a, const WideRange& b);

/**
 * Finds the operand values that contribute to a wanted product or sum. Exact for independent operands: in
 * each step, all partial results that can still become a wanted result are kept, as long as these are few.
 * Usage: begin, add all operands with their values, `reach`, `keep_reached`, `find_support`, then query.
 */
class FoldSets {
 public:
  /**
   * Returns how many pairs of a value and a partial result a step may combine. If many results are wanted,
   * ranges give most of the information at a lower cost.
   */
  static std::size_t max_pairs(std::span<const std::int64_t> few) { return few.empty() ? 1024 : 16'384; }

  /** Clears all operands. @param known the combination of the operands that are not added */
  void begin(FoldKind kind, std::int64_t known);
  /** Adds an operand without values. */
  void add_operand();
  /** Adds a value to the last operand, in ascending order. */
  void add_value(std::int64_t value);

  /**
   * Computes all wanted results.
   * @param wanted range of the wanted results
   * @param few all wanted results, if they are few; empty: not given
   * @return false if there are too many combinations, or a result exceeds 64 bits; no query is allowed then
   */
  bool reach(const ValueRange& wanted, std::span<const std::int64_t> few);

  /** Calls `is_wanted` with each result, ascending, and removes the unwanted ones. */
  template <typename IsWanted>
  void keep_reached(const IsWanted& is_wanted) {
    std::erase_if(levels_[operands_.size()], [&](std::int64_t result) { return !is_wanted(result); });
  }

  /** Traces the kept results back to the values that lead to them. */
  void find_support();
  /** Returns the values of an operand that lead to a kept result, ascending. */
  std::span<const std::int64_t> supported(std::size_t operand) const;

 private:
  struct Operand {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t supported = 0;  ///< number of supported values, which come first after `find_support`
  };

  /** The wanted results, with which partial results are tested. */
  struct Wanted {
    ValueRange range;
    std::span<const std::int64_t> few;
  };

  bool reach_next(std::size_t operand, const Wanted& wanted);
  bool may_become(std::int64_t partial, const ValueRange& rest, const Wanted& wanted) const;
  void find_rests();

  FoldKind kind_ = FoldKind::Product;
  std::vector<std::int64_t> values_;  ///< values of all operands
  std::vector<Operand> operands_;
  std::vector<ValueRange> rests_;  ///< by operand: range of the combination of it and all later operands
  std::vector<std::vector<std::int64_t>>
      levels_;                           ///< by operand: partial results of the earlier operands, ascending
  std::vector<bool> is_supported_ = {};  ///< for the values of one operand
};

}  // namespace kernelscape::space
