#include "core/space/solver/fold_sets.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace kernelscape::space {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

/** Returns nullopt if the result exceeds 64 bits. */
std::optional<std::int64_t> join_exactly(FoldKind kind, std::int64_t a, std::int64_t b) {
  std::int64_t joined = 0;
  const bool passes = kind == FoldKind::Product ? __builtin_mul_overflow(a, b, &joined)
                                                : __builtin_add_overflow(a, b, &joined);
  if (passes) return std::nullopt;
  return joined;
}

}  // namespace

WideRange join_ranges(FoldKind kind, const WideRange& a, const WideRange& b) {
  return kind == FoldKind::Product ? multiply(a, b) : WideRange{a.low + b.low, a.high + b.high};
}

void FoldSets::begin(FoldKind kind, std::int64_t known) {
  kind_ = kind;
  values_.clear();
  operands_.clear();
  if (levels_.empty()) levels_.emplace_back();
  levels_[0].assign(1, known);
}

void FoldSets::add_operand() { operands_.push_back({values_.size(), 0, 0}); }

void FoldSets::add_value(std::int64_t value) {
  values_.push_back(value);
  ++operands_.back().count;
}

void FoldSets::find_rests() {
  WideRange rest{neutral_of(kind_), neutral_of(kind_)};
  rests_.assign(operands_.size() + 1, rest.saturated());
  for (std::size_t i = operands_.size(); i-- > 0;) {
    const auto [first, count, supported] = operands_[i];
    rest = join_ranges(kind_, {values_[first], values_[first + count - 1]}, rest);
    rests_[i] = rest.saturated();
  }
}

/** Returns true if, by ranges and divisors, a partial result can become a wanted one. */
bool FoldSets::may_become(std::int64_t partial, const ValueRange& rest, const Wanted& wanted) const {
  // What is saturated may be anywhere beyond.
  if (rest.low > lowest && rest.high < highest) {
    // 64-bit numbers join within 128 bits.
    const bool product = kind_ == FoldKind::Product;
    const base::int128 a = product ? base::int128{partial} * rest.low : base::int128{partial} + rest.low;
    const base::int128 b = product ? base::int128{partial} * rest.high : base::int128{partial} + rest.high;
    if (std::min(a, b) > wanted.range.high || std::max(a, b) < wanted.range.low) return false;
  }
  if (wanted.few.empty() || kind_ == FoldKind::Sum) return true;
  return std::ranges::any_of(wanted.few, [&](std::int64_t result) {
    return partial == 0 || result == 0 ? result == 0 : result % partial == 0;
  });
}

bool FoldSets::reach(const ValueRange& wanted, std::span<const std::int64_t> few) {
  // A saturated result is not the number that partial results lead to.
  if (wanted.low == lowest || wanted.high == highest) return false;
  find_rests();
  if (levels_.size() <= operands_.size()) levels_.resize(operands_.size() + 1);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (levels_[i].size() * operands_[i].count > max_pairs(few)) return false;
    if (!reach_next(i, {wanted, few})) return false;
  }
  return true;
}

bool FoldSets::reach_next(std::size_t operand, const Wanted& wanted) {
  const auto [first, count, supported] = operands_[operand];
  // Of a product of positive numbers, what passes 64 bits never comes back.
  const bool grows = kind_ == FoldKind::Product && values_[first] >= 1 && rests_[operand].low >= 1;
  std::vector<std::int64_t>& next = levels_[operand + 1];
  next.clear();
  for (const std::int64_t partial : levels_[operand])
    for (std::size_t value = first; value < first + count; ++value) {
      const std::optional<std::int64_t> joined = join_exactly(kind_, partial, values_[value]);
      if (!joined && !(grows && partial >= 1)) return false;
      if (joined && may_become(*joined, rests_[operand + 1], wanted)) next.push_back(*joined);
    }
  if (!std::ranges::is_sorted(next)) std::ranges::sort(next);
  next.erase(std::ranges::unique(next).begin(), next.end());
  return true;
}

void FoldSets::find_support() {
  for (std::size_t i = operands_.size(); i-- > 0;) {
    Operand& operand = operands_[i];
    const std::vector<std::int64_t>& leads_to = levels_[i + 1];
    is_supported_.assign(operand.count, false);
    std::erase_if(levels_[i], [&](std::int64_t partial) {
      bool leads = false;
      for (std::size_t value = 0; value < operand.count; ++value) {
        if (leads && is_supported_[value]) continue;  // nothing new
        const auto joined = join_exactly(kind_, partial, values_[operand.first + value]);
        if (!joined || !std::ranges::binary_search(leads_to, *joined)) continue;
        is_supported_[value] = leads = true;
      }
      return !leads;
    });
    operand.supported = 0;
    for (std::size_t value = 0; value < operand.count; ++value)
      if (is_supported_[value]) values_[operand.first + operand.supported++] = values_[operand.first + value];
  }
}

std::span<const std::int64_t> FoldSets::supported(std::size_t operand) const {
  return std::span(values_).subspan(operands_[operand].first, operands_[operand].supported);
}

}  // namespace kernelscape::space
