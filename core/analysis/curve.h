#pragma once

#include <cstdint>
#include <vector>

#include "core/trial/table.h"

namespace kernelscape::analysis {

/** A trial that was better than all trials before it. */
struct ImprovementPoint {
  std::int64_t row = 0;         ///< row in the snapshot; row + 1 trials had been made at that time
  std::int64_t number = 0;      ///< number of the trial
  double finished_seconds = 0;  ///< session time
  double median_seconds = 0;

  bool operator==(const ImprovementPoint&) const = default;
};

/**
 * Returns the best-so-far curve as its change points, in order of arrival; it is constant between them. No
 * points are left out. Errors and trials without samples never improve; of equal medians the first to arrive
 * counts.
 */
std::vector<ImprovementPoint> best_so_far(const trial::Snapshot& trials);

/** The result of best_row() if there is no valid trial. */
constexpr std::int64_t no_row = -1;
/**
 * Returns the row of the valid trial with the smallest median, of equal ones the first to arrive; else
 * no_row.
 */
std::int64_t best_row(const trial::Snapshot& trials);

}  // namespace kernelscape::analysis
