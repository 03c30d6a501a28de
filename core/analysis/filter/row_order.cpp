#include "core/analysis/filter/row_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace kernelscape::analysis {
namespace {

struct Entry {
  std::uint64_t key = 0;
  std::uint32_t row = 0;
};

constexpr std::int64_t rows_per_step = 1 << 16;  // a millisecond or two between calls of `proceed`

/**
 * Returns unsigned keys that sort in the requested order: the bits of doubles do once negative ones are
 * flipped.
 */
std::uint64_t key_of(double value, bool ascending) {
  constexpr std::uint64_t last = ~std::uint64_t{0};
  if (std::isnan(value)) return last;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  const std::uint64_t key = (bits & sign) != 0 ? ~bits : bits | sign;
  return ascending ? key : ~key;
}

bool may_proceed(const std::function<bool()>& proceed) { return !proceed || proceed(); }

std::optional<std::vector<Entry>> entries_of(const trial::Snapshot& trials, const TrialColumns& columns,
                                             const RowOrder& by, std::int64_t first, const RowSet* rows,
                                             const std::function<bool()>& proceed) {
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(rows ? rows->count() : trials.size() - first));
  for (std::int64_t begin = first; begin < trials.size(); begin += rows_per_step) {
    if (!may_proceed(proceed)) return std::nullopt;
    const std::int64_t end = std::min(begin + rows_per_step, trials.size());
    const std::vector<double> values = columns.values(trials, begin, end, by.column);
    for (std::int64_t row = begin; row < end; ++row) {
      if (rows && !rows->test(row)) continue;
      const double value = values[static_cast<std::size_t>(row - begin)];
      entries.push_back({key_of(value, by.ascending), static_cast<std::uint32_t>(row)});
    }
  }
  return entries;
}

/**
 * Sorts stably, starting with the lowest digit; a digit that all keys share costs nothing, as is frequent for
 * integers.
 */
bool sort_entries(std::vector<Entry>& entries, const std::function<bool()>& proceed) {
  constexpr int bits_per_digit = 11;
  constexpr int digits = (64 + bits_per_digit - 1) / bits_per_digit;
  constexpr std::size_t buckets = std::size_t{1} << bits_per_digit;
  const auto digit_of = [](const Entry& entry, int digit) {
    return static_cast<std::size_t>(entry.key >> (digit * bits_per_digit)) & (buckets - 1);
  };
  std::vector<std::array<std::uint32_t, buckets>> counts(digits);
  for (const Entry& entry : entries)
    for (int digit = 0; digit < digits; ++digit)
      ++counts[static_cast<std::size_t>(digit)][digit_of(entry, digit)];

  std::vector<Entry> sorted(entries.size());
  for (int digit = 0; digit < digits; ++digit) {
    if (!may_proceed(proceed)) return false;
    auto& starts = counts[static_cast<std::size_t>(digit)];
    if (entries.empty() || starts[digit_of(entries.front(), digit)] == entries.size()) continue;
    std::uint32_t start = 0;
    for (std::uint32_t& bucket : starts) start += std::exchange(bucket, start);
    for (const Entry& entry : entries) sorted[starts[digit_of(entry, digit)]++] = entry;
    entries.swap(sorted);
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> sorted_rows(const trial::Snapshot& trials,
                                                      const TrialColumns& columns, const RowOrder& by,
                                                      const RowSet* rows,
                                                      const std::function<bool()>& proceed) {
  std::optional<std::vector<Entry>> entries = entries_of(trials, columns, by, 0, rows, proceed);
  if (!entries || !sort_entries(*entries, proceed)) return std::nullopt;
  std::vector<std::uint32_t> order(entries->size());
  std::ranges::transform(*entries, order.begin(), &Entry::row);
  return order;
}

void extend_order(std::vector<std::uint32_t>& order, const trial::Snapshot& trials,
                  const TrialColumns& columns, const RowOrder& by, std::int64_t first_new,
                  const RowSet* rows) {
  std::vector<Entry> arrived = *entries_of(trials, columns, by, first_new, rows, {});
  std::ranges::stable_sort(arrived, {}, &Entry::key);
  // Merges from the end, so that each old row moves once, in place. An old row stays before a new one with
  // the same value.
  const auto key_at = [&](std::uint32_t row) {
    return key_of(columns.value(trials, row, by.column), by.ascending);
  };
  std::size_t unmoved = order.size();
  order.resize(order.size() + arrived.size());
  for (std::size_t waiting = arrived.size(); waiting > 0; --waiting) {
    const Entry& entry = arrived[waiting - 1];
    const auto begin = order.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(unmoved);
    const auto place = std::ranges::upper_bound(begin, end, entry.key, {}, key_at);
    std::move_backward(place, end, end + static_cast<std::ptrdiff_t>(waiting));
    unmoved = static_cast<std::size_t>(place - begin);
    order[unmoved + waiting - 1] = entry.row;
  }
}

}  // namespace kernelscape::analysis
