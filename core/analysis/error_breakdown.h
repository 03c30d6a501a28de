#pragma once

#include <array>
#include <cstdint>

#include "core/trial/trial_table.h"

namespace kernelscape {

/** What the trials of one error category were and cost. */
struct CategoryTotals {
  std::int64_t trials = 0;
  double build_seconds = 0;  ///< work seconds, summed over workers
  double run_seconds = 0;    ///< work seconds

  /** Build and run work together, summed over workers. */
  double work_seconds() const { return build_seconds + run_seconds; }
  CategoryTotals& operator+=(const CategoryTotals& other);
  bool operator==(const CategoryTotals&) const = default;
};

/** Error categories by count and by work seconds (never wall time): NoSE, figures 3 and 7. */
struct ErrorBreakdown {
  std::array<CategoryTotals, error_category_count> categories;  ///< by the number of the category

  /** Trials and work of one category; all zero where it did not occur. */
  const CategoryTotals& of(ErrorCategory category) const {
    return categories[static_cast<std::size_t>(category)];
  }
  CategoryTotals all() const;     ///< every category together, NO_ERROR included
  CategoryTotals errors() const;  ///< all but NO_ERROR
};

/** Over every trial of the snapshot, in one pass. */
ErrorBreakdown error_breakdown(const TrialSnapshot& trials);

}  // namespace kernelscape
