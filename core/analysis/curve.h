#pragma once

#include <cstdint>
#include <vector>

#include "core/trial/trial_table.h"

namespace kernelscape {

/** A trial that was better than all before it. */
struct ImprovementPoint {
  std::int64_t row = 0;         ///< in the snapshot; row + 1 trials had been made by then
  std::int64_t number = 0;      ///< of the trial
  double finished_seconds = 0;  ///< session time
  double median_seconds = 0;

  bool operator==(const ImprovementPoint&) const = default;
};

/**
 * The best-so-far curve as its change points, in order of arrival; between them it is constant. Nothing is
 * thinned out. Errors and trials without samples never improve; of equal medians the first arrived counts.
 */
std::vector<ImprovementPoint> best_so_far(const TrialSnapshot& trials);

/** The valid trial with the smallest median, or the row of none. */
constexpr std::int64_t no_row = -1;
/** Row of the valid trial with the smallest median, of equal ones the first arrived; else no_row. */
std::int64_t best_row(const TrialSnapshot& trials);

}  // namespace kernelscape
