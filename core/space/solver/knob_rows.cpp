#include "core/space/solver/knob_rows.h"

#include <algorithm>
#include <bit>

namespace kernelscape::space {

std::optional<ColumnRows> ColumnRows::of(std::span<const std::int64_t> column, std::size_t max_distinct) {
  ColumnRows result;
  std::vector<std::int64_t>& values = result.values_;
  for (std::size_t row = 0; row < column.size(); ++row) {
    values.push_back(column[row]);
    if (values.size() < 2 * max_distinct && row + 1 < column.size()) continue;
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    if (values.size() > max_distinct) return std::nullopt;
  }
  std::vector<std::uint32_t> places;
  result.first_.assign(values.size() + 1, 0);
  for (const std::int64_t value : column) {
    places.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(values, value) - values.begin()));
    ++result.first_[places.back() + 1];
  }
  for (std::size_t place = 0; place < values.size(); ++place)
    result.first_[place + 1] += result.first_[place];
  std::vector<std::uint32_t> next(result.first_.begin(), result.first_.end() - 1);
  result.rows_.resize(column.size());
  for (std::uint32_t row = 0; row < column.size(); ++row) result.rows_[next[places[row]]++] = row;
  return result;
}

void KnobRowSet::insert(std::uint32_t first, std::uint32_t last) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  const std::uint64_t from_first = all << first % 64;
  const std::uint64_t to_last = all >> (63 - last % 64);
  if (first / 64 == last / 64) {
    words_[first / 64] |= from_first & to_last;
    return;
  }
  words_[first / 64] |= from_first;
  for (std::uint32_t word = first / 64 + 1; word < last / 64; ++word) words_[word] = all;
  words_[last / 64] |= to_last;
}

void KnobRowSet::intersect(const KnobRowSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
}

std::size_t KnobRowSet::count() const {
  std::size_t total = 0;
  for (const std::uint64_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
  return total;
}

std::uint32_t KnobRowSet::next(std::uint32_t row, bool there) const {
  for (std::uint32_t word = row / 64; word < words_.size(); ++word) {
    std::uint64_t bits = there ? words_[word] : ~words_[word];
    if (word == row / 64) bits &= ~std::uint64_t{0} << row % 64;
    if (bits != 0) return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return end();
}

}  // namespace kernelscape::space
