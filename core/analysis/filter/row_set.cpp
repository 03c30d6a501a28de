#include "core/analysis/filter/row_set.h"

#include <algorithm>
#include <stdexcept>

namespace kernelscape::analysis {
namespace {

std::size_t words_for(std::int64_t size) {
  if (size < 0) throw std::invalid_argument("a row set of a negative size");
  return static_cast<std::size_t>((size + RowSet::bits_per_word - 1) / RowSet::bits_per_word);
}

}  // namespace

RowSet::RowSet(std::int64_t size, bool filled)
    : words_(words_for(size), filled ? ~std::uint64_t{0} : 0), size_(size) {
  clear_tail();
}

RowSet RowSet::of(std::int64_t size, std::span<const std::int64_t> rows) {
  RowSet set(size);
  for (const std::int64_t row : rows) set.set(row);
  return set;
}

std::int64_t RowSet::count() const {
  std::int64_t total = 0;
  for (const std::uint64_t word : words_) total += std::popcount(word);
  return total;
}

bool RowSet::none() const {
  return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
}

RowSet& RowSet::operator&=(const RowSet& other) {
  require_same_size(other);
  for (std::size_t word = 0; word < words_.size(); ++word) words_[word] &= other.words_[word];
  return *this;
}

RowSet& RowSet::operator|=(const RowSet& other) {
  require_same_size(other);
  for (std::size_t word = 0; word < words_.size(); ++word) words_[word] |= other.words_[word];
  return *this;
}

RowSet& RowSet::operator-=(const RowSet& other) {
  require_same_size(other);
  for (std::size_t word = 0; word < words_.size(); ++word) words_[word] &= ~other.words_[word];
  return *this;
}

RowSet& RowSet::invert() {
  for (std::uint64_t& word : words_) word = ~word;
  clear_tail();
  return *this;
}

void RowSet::grow(std::int64_t size) {
  if (size < size_) throw std::invalid_argument("a row set does not shrink");
  words_.resize(words_for(size), 0);
  size_ = size;
}

std::vector<std::int64_t> RowSet::rows() const {
  std::vector<std::int64_t> list;
  list.reserve(static_cast<std::size_t>(count()));
  for_each([&](std::int64_t row) { list.push_back(row); });
  return list;
}

void RowSet::set_word(std::size_t word, std::uint64_t bits) {
  words_.at(word) = bits;
  if (word + 1 == words_.size()) clear_tail();
}

std::size_t RowSet::word_of(std::int64_t row) const {
  if (row < 0 || row >= size_) throw std::out_of_range("a row that the row set does not cover");
  return static_cast<std::size_t>(row / bits_per_word);
}

void RowSet::clear_tail() {
  if (const std::int64_t used = size_ % bits_per_word; used != 0)
    words_.back() &= (std::uint64_t{1} << used) - 1;
}

void RowSet::require_same_size(const RowSet& other) const {
  if (size_ != other.size_) throw std::invalid_argument("row sets of two sizes");
}

}  // namespace kernelscape::analysis
