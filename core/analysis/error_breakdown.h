#pragma once

#include <array>
#include <cstdint>

#include "core/trial/table.h"

namespace kernelscape::analysis {

/** The number and the cost of the trials of one error category. */
struct CategoryTotals {
  std::int64_t trials = 0;
  double build_seconds = 0;  ///< build time, summed over workers
  double run_seconds = 0;    ///< run time, summed over workers

  /** Returns the build and run time, summed over workers. */
  double work_seconds() const { return build_seconds + run_seconds; }
  CategoryTotals& operator+=(const CategoryTotals& other);
  bool operator==(const CategoryTotals&) const = default;
};

/**
 * Error categories by number of trials and by build and run time (never wall time): NoSE, figures 3 and 7.
 */
struct ErrorBreakdown {
  std::array<CategoryTotals, trial::error_category_count> categories;  ///< by the number of the category

  /** Returns the totals of one category; all zero if it did not occur. */
  const CategoryTotals& of(trial::ErrorCategory category) const {
    return categories[static_cast<std::size_t>(category)];
  }
  CategoryTotals all() const;     ///< all categories together, including NO_ERROR
  CategoryTotals errors() const;  ///< all categories except NO_ERROR
};

/** Computes the breakdown of all trials of the snapshot, in one pass. */
ErrorBreakdown error_breakdown(const trial::Snapshot& trials);

}  // namespace kernelscape::analysis
