#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/analysis/columns.h"
#include "core/analysis/filter/row_set.h"

namespace kernelscape::analysis {

/**
 * The column by which a table is sorted. In both directions, equal values keep the order of rows, and missing
 * values come last.
 */
struct RowOrder {
  std::size_t column = 0;
  bool ascending = true;

  bool operator==(const RowOrder&) const = default;
};

/**
 * Returns the rows in the order of a column's values (for labels, of their positions), by radix sort:
 * 1,000,000 rows take about a tenth of a second.
 * @param trials at most 2^32
 * @param rows only these, a set over all trials; null: all
 * @param proceed called some hundred times a second; false cancels the sort; empty: never
 * @return nullopt if `proceed` cancelled it
 */
std::optional<std::vector<std::uint32_t>> sorted_rows(const trial::Snapshot& trials,
                                                      const TrialColumns& columns, const RowOrder& by,
                                                      const RowSet* rows = nullptr,
                                                      const std::function<bool()>& proceed = {});

/**
 * Updates the result of `sorted_rows` after new trials: merges the rows from `first_new` on into the order of
 * those before. O(new log new + n), where the O(n) part only moves memory.
 * @param order of `sorted_rows` for the first `first_new` trials
 * @param rows as for `sorted_rows`
 */
void extend_order(std::vector<std::uint32_t>& order, const trial::Snapshot& trials,
                  const TrialColumns& columns, const RowOrder& by, std::int64_t first_new,
                  const RowSet* rows = nullptr);

}  // namespace kernelscape::analysis
