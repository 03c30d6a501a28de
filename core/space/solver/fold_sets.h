#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/int128.h"
#include "core/space/value_range.h"

namespace kernelscape {

/** How PROD and SUM join their operands. */
enum class FoldKind : std::uint8_t { Product, Sum };

/** What joining nothing gives. */
constexpr int128 neutral_of(FoldKind kind) { return kind == FoldKind::Product ? 1 : 0; }

/** Two numbers joined: exact after `saturate`, whatever is joined to the result. */
constexpr int128 join_numbers(FoldKind kind, int128 a, int128 b) {
  return kind == FoldKind::Product ? wide_multiply(a, b) : a + b;
}

/** Where two numbers that lie in ranges lie when joined. */
WideRange join_ranges(FoldKind kind, const WideRange& a, const WideRange& b);

/**
 * Which values of some operands are part of any product or sum that is wanted. Exact for operands that don't
 * depend on each other: step by step all partial results are kept that can still become a wanted one, as
 * far as these are few. Begin, add all operands with their values, `reach`, `keep_reached`, then ask.
 */
class FoldSets {
 public:
  /**
   * How many values a step may join with how many partial results. Of many results that are wanted, ranges
   * tell most of what there is to tell, for less.
   */
  static std::size_t most_pairs(std::span<const std::int64_t> few) { return few.empty() ? 1024 : 16'384; }

  /** Forgets all. @param known what the operands that are not added come to */
  void begin(FoldKind kind, std::int64_t known);
  /** The next operand has no values yet. */
  void add_operand();
  /** Another value of the last operand; ascending. */
  void add_value(std::int64_t value);

  /**
   * Looks for all results.
   * @param wanted results outside are of no interest
   * @param few all wanted ones, if they are few; empty: not told
   * @return false where there is too much to look at, or it passes 64 bits; nothing more can be asked then
   */
  bool reach(const ValueRange& wanted, std::span<const std::int64_t> few);

  /** Calls `is_wanted` with each result, ascending, and forgets those that are not. */
  template <typename IsWanted>
  void keep_reached(const IsWanted& is_wanted) {
    std::erase_if(levels_[operands_.size()], [&](std::int64_t result) { return !is_wanted(result); });
  }

  /** Goes back from the results that were kept to the values that lead to them. */
  void find_support();
  /** Of an operand, the values that lead to a result that was kept, ascending. */
  std::span<const std::int64_t> supported(std::size_t operand) const;

 private:
  struct Operand {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t supported = 0;  ///< of the values, those in front, after `find_support`
  };

  /** A wanted result, as partial results are asked about. */
  struct Wanted {
    ValueRange range;
    std::span<const std::int64_t> few;
  };

  bool reach_next(std::size_t operand, const Wanted& wanted);
  bool may_become(std::int64_t partial, const ValueRange& rest, const Wanted& wanted) const;
  void find_rests();

  FoldKind kind_ = FoldKind::Product;
  std::vector<std::int64_t> values_;  ///< of all operands
  std::vector<Operand> operands_;
  std::vector<ValueRange> rests_;                  ///< by operand: what it and those behind it can come to
  std::vector<std::vector<std::int64_t>> levels_;  ///< by operand: partial results before it, ascending
  std::vector<bool> is_supported_ = {};            ///< of one operand's values
};

}  // namespace kernelscape
