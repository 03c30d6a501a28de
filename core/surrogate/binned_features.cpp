#include "core/surrogate/binned_features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace kernelscape::surrogate {
namespace {

constexpr int digit_bits = 11;
constexpr int first_digit_bit = 32;
constexpr std::size_t digits = 3;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;

/**
 * Returns a key: the upper half has bits that sort like the numbers, with equal zeros; the lower half is the
 * row.
 */
std::uint64_t keyed(float value, std::size_t row) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  const std::uint32_t key = bits >> 31 == 0 ? bits | 0x8000'0000U : ~bits;
  return std::uint64_t{key} << first_digit_bit | row;
}

std::size_t digit_of(std::uint64_t item, std::size_t digit) {
  return item >> (first_digit_bit + digit_bits * static_cast<int>(digit)) & (digit_values - 1);
}

/** Sorts by the upper half, stably: a radix sort, since many values are equal. */
void sort_by_key(std::vector<std::uint64_t>& items, std::vector<std::uint64_t>& scratch) {
  std::array<std::array<std::uint32_t, digit_values>, digits> counts{};
  for (const std::uint64_t item : items) {
    for (std::size_t digit = 0; digit < digits; ++digit) ++counts[digit][digit_of(item, digit)];
  }
  scratch.resize(items.size());
  for (std::size_t digit = 0; digit < digits; ++digit) {
    std::array<std::uint32_t, digit_values>& next = counts[digit];
    if (next[digit_of(items.front(), digit)] == items.size()) continue;  // nothing to partition
    std::exclusive_scan(next.begin(), next.end(), next.begin(), 0U);
    for (const std::uint64_t item : items) scratch[next[digit_of(item, digit)]++] = item;
    items.swap(scratch);
  }
}

/** Finds the starts of equal keys among sorted items, and the end. */
void find_starts(const std::vector<std::uint64_t>& items, std::vector<std::size_t>& starts) {
  starts.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == 0 || items[i] >> first_digit_bit != items[i - 1] >> first_digit_bit) starts.push_back(i);
  }
  starts.push_back(items.size());
}

}  // namespace

BinnedFeatures::BinnedFeatures(std::span<const float> features, std::size_t columns, std::size_t bins)
    : columns_(columns), rows_(features.size() / columns) {
  std::vector<std::uint64_t> items(rows_);
  std::vector<std::uint64_t> scratch;
  std::vector<std::size_t> starts;
  for (std::size_t c = 0; c < columns && rows_ > 0; ++c) {
    const auto value = [&](std::uint64_t item) {
      return features[static_cast<std::uint32_t>(item) * columns + c];
    };
    for (std::size_t row = 0; row < rows_; ++row) items[row] = keyed(features[row * columns + c], row);
    sort_by_key(items, scratch);
    find_starts(items, starts);
    const std::size_t distinct = starts.size() - 1;
    const std::size_t count = std::min(bins, distinct);
    Column& column = columns_[c];
    column.codes.resize(rows_);
    for (std::size_t bin = 0; bin < count; ++bin) {
      const std::size_t first = starts[bin * distinct / count];
      const std::size_t last = starts[(bin + 1) * distinct / count];
      column.lowest.push_back(value(items[first]));
      column.highest.push_back(value(items[last - 1]));
      for (std::size_t i = first; i < last; ++i)
        column.codes[static_cast<std::uint32_t>(items[i])] = static_cast<std::uint16_t>(bin);
    }
  }
}

float BinnedFeatures::threshold(std::size_t column, std::size_t lower, std::size_t upper) const {
  const float below = columns_[column].highest[lower];
  const float above = columns_[column].lowest[upper];
  const float middle = std::midpoint(below, above);
  return middle < above ? middle : below;  // the midpoint of two neighbouring floats may equal the upper one
}

}  // namespace kernelscape::surrogate
