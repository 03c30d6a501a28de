#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/columns.h"
#include "core/analysis/filter/row_set.h"

namespace kernelscape::analysis {

struct FilterNode;

/**
 * The reason why a text is not a valid filter, and its position in bytes of the text, so that a window can
 * underline it.
 */
struct FilterError {
  std::string message;
  std::string hint;
  std::size_t position = 0;
  std::size_t length = 0;  ///< 0: something is missing at the position

  bool operator==(const FilterError&) const = default;
};

/**
 * A condition on trials, as written in the table, its chips and `export --where`:
 *
 *     valid and ms < 500 us and tile_oc[3] in (4, 8..16) and not (tile_oc = [4, 1, 8, 2] or order[ic] <
 * order[oh])
 *
 * - Comparisons of a column with a value or another column: = (==) != < <= > >=; `in` and `not in` with
 * values and ranges LOW..HIGH that include both ends; a column of truth values by itself; `valid` and
 * `invalid`.
 * - and (&&), or (||), not (!), parentheses; `and` binds more tightly than `or`. Empty text passes every
 * trial.
 * - A number without a unit is in the column's unit; ns, us, ms, s, min, h, MFLOPS, GFLOPS, TFLOPS and B,
 * KiB, MiB are converted; a share may be written with % (occupancy >= 50 %).
 * - A label is a bare word, or a text in "..."; \ escapes the next character. A whole tuple is [4, 1,
 * 8, 2]. `error` can also be compared by its code. A column whose name is not a plain word is written in
 * `...`.
 * - Names and labels match in another case if only one does; and, or, not, in, valid, invalid match in any
 * case.
 * - A trial that has no value (the time of an error or of a kernel that was only built) passes no comparison,
 * `!=` and `not in` included: only `not ms < 2` passes it. `ms = ms` passes those that have one.
 * - Message texts are in the store, not in the trial table: a filter does not see them.
 *
 * Immutable; copies share their data; any thread may evaluate.
 */
class Filter {
 public:
  /** Parses a filter over these columns. The error is that of the first invalid position. */
  static std::expected<Filter, FilterError> parse(std::string_view text, const TrialColumns& columns);

  /** Returns the trials that pass the filter. @param columns those with which it was parsed, or equal ones */
  RowSet evaluate(const trial::Snapshot& trials, const TrialColumns& columns) const;

  /** Extends `rows`, the result for the first `first_new` trials, to all of `trials`: O(new). */
  void extend(const trial::Snapshot& trials, const TrialColumns& columns, RowSet& rows,
              std::int64_t first_new) const;

  /**
   * Returns the canonical text: parsing it gives a filter with the same text that passes the same trials. An
   * empty text passes all.
   */
  const std::string& text() const { return text_; }

 private:
  Filter(FilterNode root, const TrialColumns& columns);

  std::shared_ptr<const FilterNode> root_;
  std::string text_;
};

/**
 * Returns the filter of a chip: it passes exactly the trials with this value; NaN means the trials without a
 * value.
 */
std::string filter_equals(const Column& column, double value);

/**
 * Returns a filter that passes the trials with one of these values; without values, no trial. Runs of
 * integers become ranges.
 */
std::string filter_one_of(const Column& column, std::span<const double> values);

enum class RangeEnd : std::uint8_t { Included, Excluded };

/**
 * Returns a filter for the range from `low`, which is included, to `high`; either may be infinite. A bar of a
 * histogram excludes its high end. For a column with labels, the range is of their positions.
 */
std::string filter_range(const Column& column, double low, double high,
                         RangeEnd high_end = RangeEnd::Included);

/** Returns the conjunction of these filters; empty ones are left out. */
std::string conjunction(std::span<const std::string> filters);

}  // namespace kernelscape::analysis
