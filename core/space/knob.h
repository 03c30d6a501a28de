#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/space/permutation.h"

namespace kernelscape::space {

enum class KnobKind : std::uint8_t { Factorization, Ordinal, Categorical, Permutation };

std::string to_string(KnobKind kind);  ///< "factorization", "ordinal", "categorical", "permutation"

/** The value of an ordinal or categorical knob. */
using KnobValue = std::variant<std::int64_t, double, bool, std::string>;

std::string to_string(const KnobValue& value);  ///< "512", "0.5", "true"; a text without quotes

/**
 * The elements of a knob's value. The elements of a permutation are stored in this object: keep it as long as
 * they are used.
 */
class KnobRow {
 public:
  /** Refers to elements in the knob's table. */
  explicit KnobRow(std::span<const std::int64_t> listed) : listed_(listed.data()), size_(listed.size()) {}
  /** Makes the permutation of `items` items with this index. */
  KnobRow(std::size_t items, std::uint32_t index) : size_(items) {
    permutation_at(index, std::span(made_).first(items));
  }

  /** Returns the first element; only for lvalues. */
  const std::int64_t* begin() const& { return listed_ != nullptr ? listed_ : made_.data(); }
  /** Returns the end of the elements. */
  const std::int64_t* end() const& { return begin() + size_; }
  const std::int64_t* begin() && = delete;
  const std::int64_t* end() && = delete;
  /** Returns the number of elements. */
  std::size_t size() const { return size_; }
  std::int64_t operator[](std::size_t position) const { return begin()[position]; }

 private:
  const std::int64_t* listed_ = nullptr;
  std::size_t size_ = 0;
  std::array<std::int64_t, max_permuted_items> made_{};
};

/**
 * One tunable parameter of a template (OpEvo, section 3). A value is identified by its index in [0, count()).
 *
 * - factorization: all ordered tuples of positive integers with a given product, optionally with an upper
 * bound on the last factor, enumerated as in AutoTVM: nested loops over ascending divisors, the innermost
 * tile size (last factor) slowest, the second factor fastest, the first factor being the remaining quotient.
 * Neighbours: a prime factor moves from one position to another.
 * - ordinal: an ascending list; neighbours: the next values.
 * - categorical: a list; neighbours: any other value.
 * - permutation: all orders of n items, lexicographic; neighbours: two items swapped.
 */
class Knob {
 public:
  /**
   * Makes a factorization knob. Errors: an argument out of range, no tuple, more than 4,194,304 tuples, more
   * numbers than a TableAllowance allows.
   * @param product 1 to 2^40
   * @param parts 1 to 64
   * @param last_at_most bound on the last factor; 0: none
   */
  static Result<Knob> factorization(std::string name, std::int64_t product, int parts,
                                    std::int64_t last_at_most = 0);
  /** Makes an ordinal knob. @param values numbers (or booleans), strictly ascending; at most 4,194,304 */
  static Result<Knob> ordinal(std::string name, std::vector<KnobValue> values);
  /** Makes a categorical knob. @param values distinct; reals finite, texts in UTF-8; at most 4,194,304 */
  static Result<Knob> categorical(std::string name, std::vector<KnobValue> values);
  /** Makes a permutation knob. @param items names of the ordered items, at most 10 */
  static Result<Knob> permutation(std::string name, std::vector<std::string> items);

  const std::string& name() const { return name_; }  ///< unique in its space: "tile_oc"
  KnobKind kind() const { return kind_; }            ///< determines its values and neighbours
  std::uint32_t count() const { return count_; }     ///< number of values

  /** Returns the number of elements per value: factors, positions of a permutation, or 1. */
  int element_count() const { return elements_; }

  /**
   * Returns an element of a value as an integer: the factor, the item at a position, or the integer value of
   * an ordinal or categorical knob (0 or 1 for booleans; the index itself for reals and texts).
   */
  std::int64_t element(std::uint32_t index, int position) const {
    const auto width = static_cast<std::size_t>(elements_);
    const auto at = static_cast<std::size_t>(position);
    return table_.empty() ? KnobRow(width, index)[at] : table_[index * width + at];
  }

  /** Returns the value of an ordinal or categorical knob. */
  const KnobValue& value(std::uint32_t index) const { return values_[index]; }
  /** Returns the names of the items of a permutation; empty for other kinds. */
  const std::vector<std::string>& items() const { return items_; }
  std::int64_t product() const { return product_; }  ///< of a factorization's factors; 0 for other kinds
  /** Returns the bound on a factorization's last factor; 0: none. */
  std::int64_t last_at_most() const { return last_at_most_; }

  /** Returns all elements of a value. */
  KnobRow row(std::uint32_t index) const {
    const auto width = static_cast<std::size_t>(elements_);
    return table_.empty() ? KnobRow(width, index) : KnobRow({table_.data() + index * width, width});
  }

  /**
   * Returns true if `restricted` removed values: then the remaining ones, not the product or the items,
   * define the knob.
   */
  bool partial() const { return partial_; }

  /** Returns a value as text: "[4, 1, 8, 2]", "512", "true", "[ic, oh, oc]". */
  std::string describe(std::uint32_t index) const;

  /** Returns the indices of the values one legal move away, ascending, without the value itself. */
  std::vector<std::uint32_t> neighbours(std::uint32_t index) const;

  /** Returns the index of the value with these elements, or an error that says why there is none. */
  Result<std::uint32_t> find(const std::vector<std::int64_t>& elements) const;

  /** Returns this knob with only some of its values (a user's restriction), in their order. */
  Result<Knob> restricted(const std::vector<std::uint32_t>& kept) const;

  bool operator==(const Knob&) const = default;

 private:
  Knob() = default;
  std::vector<std::uint32_t> moved_rows(std::uint32_t index) const;
  std::optional<std::uint32_t> position_of(std::span<const std::int64_t> elements) const;

  std::string name_;
  KnobKind kind_ = KnobKind::Categorical;
  std::uint32_t count_ = 0;
  int elements_ = 1;
  std::int64_t product_ = 0;
  std::int64_t last_at_most_ = 0;
  bool partial_ = false;
  std::vector<std::int64_t> table_;  ///< count x elements; empty: all permutations
  std::vector<KnobValue> values_;
  std::vector<std::string> items_;
};

}  // namespace kernelscape::space
