#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernelscape::space {

/** The distinct values of a number that depends on a knob, and the knob's values for each of them. */
class ColumnRows {
 public:
  /**
   * Returns the distinct values of a column, or nullopt if it has more than `max_distinct`.
   * @param column the number by the index of the knob's value
   */
  static std::optional<ColumnRows> of(std::span<const std::int64_t> column, std::size_t max_distinct);

  /** Returns the distinct values of the number, ascending. */
  const std::vector<std::int64_t>& values() const { return values_; }
  /** Returns the indices of the knob's values for which the number has the value at this place, ascending. */
  std::span<const std::uint32_t> rows(std::size_t place) const {
    return std::span(rows_).subspan(first_[place], first_[place + 1] - first_[place]);
  }

 private:
  std::vector<std::int64_t> values_;
  std::vector<std::uint32_t> first_;  ///< by place among the values, with an end marker
  std::vector<std::uint32_t> rows_;
};

/** A set of indices of a knob's values. */
class KnobRowSet {
 public:
  /** Empties the set and sets its capacity. */
  void clear(std::uint32_t row_count) { words_.assign((row_count + 63) / 64, 0); }
  /** Inserts `first` to `last`, inclusive. */
  void insert(std::uint32_t first, std::uint32_t last);
  void insert(std::uint32_t row) { words_[row / 64] |= std::uint64_t{1} << row % 64; }  ///< inserts an index
  void erase(std::uint32_t row) {
    words_[row / 64] &= ~(std::uint64_t{1} << row % 64);
  }  ///< removes an index
  /** Removes the indices that `other` does not contain. */
  void intersect(const KnobRowSet& other);
  /** Returns true if the set contains the index. */
  bool contains(std::uint32_t row) const { return (words_[row / 64] >> row % 64 & 1) != 0; }
  std::size_t count() const;  ///< number of indices in the set
  /**
   * Returns the first index from `row` on that is in the set (`there`) or not in it; end() if there is none.
   */
  std::uint32_t next(std::uint32_t row, bool there) const;
  std::uint32_t end() const {
    return static_cast<std::uint32_t>(words_.size() * 64);
  }  ///< capacity in whole words

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace kernelscape::space
