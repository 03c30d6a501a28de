#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace kernelscape::analysis {

/**
 * A set of rows of a trial table, such as those a filter passes or the user selected: one bit for each row in
 * [0, size()). A row outside of it, and two sets of different sizes, are programming errors and throw
 * std::out_of_range and std::invalid_argument.
 */
class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(std::int64_t size, bool filled = false);
  /** Returns the set of these rows. @param rows in any order, each in [0, size) */
  static RowSet of(std::int64_t size, std::span<const std::int64_t> rows);

  std::int64_t size() const { return size_; }  ///< number of rows that can be in the set
  /** Returns true if the row is in the set. */
  bool test(std::int64_t row) const { return (words_[word_of(row)] & bit_of(row)) != 0; }
  void set(std::int64_t row) { words_[word_of(row)] |= bit_of(row); }     ///< adds the row
  void reset(std::int64_t row) { words_[word_of(row)] &= ~bit_of(row); }  ///< removes the row
  /** Adds the row if it is not in the set, else removes it. */
  void flip(std::int64_t row) { words_[word_of(row)] ^= bit_of(row); }

  std::int64_t count() const;                    ///< number of rows in the set; O(size() / 64)
  bool all() const { return count() == size_; }  ///< every row is in the set; true for a size of 0
  bool none() const;                             ///< no row is in the set

  RowSet& operator&=(const RowSet& other);
  RowSet& operator|=(const RowSet& other);
  RowSet& operator-=(const RowSet& other);  ///< removes the rows of the other set
  RowSet& invert();                         ///< replaces the set by its complement

  /** Appends rows that are not in the set. Throws std::invalid_argument for a smaller size. */
  void grow(std::int64_t size);

  /** Calls `visit` with each row of the set, ascending. */
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1)
        visit(static_cast<std::int64_t>(word) * bits_per_word + std::countr_zero(rest));
    }
  }

  /** Returns the rows of the set, ascending. */
  std::vector<std::int64_t> rows() const;

  /** Returns the bits of the set: row 64 w + b is bit b of word w; bits beyond the size are zero. */
  std::span<const std::uint64_t> words() const { return words_; }
  /** Sets 64 rows at once. Ignores bits beyond the size. */
  void set_word(std::size_t word, std::uint64_t bits);

  bool operator==(const RowSet&) const = default;

  static constexpr std::int64_t bits_per_word = 64;

 private:
  std::size_t word_of(std::int64_t row) const;
  static std::uint64_t bit_of(std::int64_t row) { return std::uint64_t{1} << (row % bits_per_word); }
  void clear_tail();
  void require_same_size(const RowSet& other) const;

  std::vector<std::uint64_t> words_;
  std::int64_t size_ = 0;
};

}  // namespace kernelscape::analysis
