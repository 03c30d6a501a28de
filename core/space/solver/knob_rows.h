#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernelscape {

/** What a number that depends on a knob is over the knob's values, and which of these have it. */
class ColumnRows {
 public:
  /**
   * None where the number has over `most_distinct` values.
   * @param column the number by the index of the knob's value
   */
  static std::optional<ColumnRows> of(std::span<const std::int64_t> column, std::size_t most_distinct);

  /** All that the number can be, ascending. */
  const std::vector<std::int64_t>& values() const { return values_; }
  /** Indices of the knob's values that have the number at this place, ascending. */
  std::span<const std::uint32_t> rows(std::size_t place) const {
    return std::span(rows_).subspan(first_[place], first_[place + 1] - first_[place]);
  }

 private:
  std::vector<std::int64_t> values_;
  std::vector<std::uint32_t> first_;  ///< by place among the values, and one behind the last
  std::vector<std::uint32_t> rows_;
};

/** Indices of a knob's values, each there or not. */
class KnobRowSet {
 public:
  /** None is there. */
  void clear(std::uint32_t row_count) { words_.assign((row_count + 63) / 64, 0); }
  /** Puts in `first` to `last`. */
  void insert(std::uint32_t first, std::uint32_t last);
  void insert(std::uint32_t row) { words_[row / 64] |= std::uint64_t{1} << row % 64; }    ///< puts in one
  void erase(std::uint32_t row) { words_[row / 64] &= ~(std::uint64_t{1} << row % 64); }  ///< takes out one
  /** Takes out what the other one lacks. */
  void intersect(const KnobRowSet& other);
  /** Whether it is there. */
  bool contains(std::uint32_t row) const { return (words_[row / 64] >> row % 64 & 1) != 0; }
  std::size_t count() const;  ///< how many are there
  /** The first index from `row` on that is there, or is not; the end of all words where there is none. */
  std::uint32_t next(std::uint32_t row, bool there) const;
  std::uint32_t end() const { return static_cast<std::uint32_t>(words_.size() * 64); }  ///< of all words

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace kernelscape
