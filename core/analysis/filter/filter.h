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

namespace kernelscape {

struct FilterNode;

/** Why a text is no filter, and where: bytes of the text, so that a window can underline them. */
struct FilterError {
  std::string message;
  std::string hint;
  std::size_t position = 0;
  std::size_t length = 0;  ///< 0: something is missing at the position

  bool operator==(const FilterError&) const = default;
};

/**
 * A condition on trials, as the table, its chips and `export --where` write it:
 *
 *     valid and ms < 500 us and tile_oc[3] in (4, 8..16) and not (tile_oc = [4, 1, 8, 2] or order[ic] <
 * order[oh])
 *
 * - Comparisons of a column with a value or another column: = (==) != < <= > >=; `in` and `not in` with
 * values and ranges LOW..HIGH that include both ends; a column of truths alone; `valid` and `invalid`.
 * - and (&&), or (||), not (!), parentheses; `and` binds more tightly than `or`. Empty text passes every
 * trial.
 * - A number without a unit is in the column's own; ns, us, ms, s, min, h, MFLOPS, GFLOPS, TFLOPS and B, KiB,
 * MiB are converted; a share may have its % (occupancy >= 50 %).
 * - A label is a bare word, or a text in "..."; \ takes the next character as it is. A whole tuple is [4, 1,
 * 8, 2]. `error` can also be compared by its code. A column whose name is no plain word stands in `...`.
 * - Names and labels in another case count where only one fits; and, or, not, in, valid, invalid in any case.
 * - A trial that has no value (the time of an error or of a kernel that was only built) passes no comparison,
 * `!=` and `not in` included: only `not ms < 2` passes it. `ms = ms` passes those that have one.
 * - Message texts are in the store, not in the trial table: a filter does not see them.
 *
 * Immutable; copies share their data; any thread may evaluate.
 */
class Filter {
 public:
  /** Errors: the first place where the text is no filter over these columns. */
  static std::expected<Filter, FilterError> parse(std::string_view text, const TrialColumns& columns);

  /** @param columns those that it was parsed with, or equal ones */
  RowSet evaluate(const TrialSnapshot& trials, const TrialColumns& columns) const;

  /** Grows `rows`, the result for the first `first_new` trials, to all of `trials`: O(new). */
  void extend(const TrialSnapshot& trials, const TrialColumns& columns, RowSet& rows,
              std::int64_t first_new) const;

  /** Canonical: parsed again it passes the same trials and has the same text. Empty: passes all. */
  const std::string& text() const { return text_; }

 private:
  Filter(FilterNode root, const TrialColumns& columns);

  std::shared_ptr<const FilterNode> root_;
  std::string text_;
};

/** What chips say. Parsed, each passes exactly the trials named; NaN means the trials that have no value. */
std::string filter_equals(const Column& column, double value);

/** The trials whose value is one of these; no values: no trial. Runs of integers become ranges. */
std::string filter_one_of(const Column& column, std::span<const double> values);

enum class RangeEnd : std::uint8_t { Included, Excluded };

/**
 * From `low`, which is included, to `high`; either may be infinite. A bar of a histogram excludes its high
 * end. Of a column with labels: their positions.
 */
std::string filter_range(const Column& column, double low, double high,
                         RangeEnd high_end = RangeEnd::Included);

/** All of these filters at once; empty ones are left out. */
std::string conjunction(std::span<const std::string> filters);

}  // namespace kernelscape
