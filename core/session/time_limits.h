#pragma once

#include <algorithm>

#include "core/trial/budget.h"

namespace kernelscape {

// How long what a session does beside its search may take. Each ends with what it has by then, and says so.

/** Of the survey before the first trial; less where the budget has fewer minutes. */
constexpr double most_survey_seconds = 300;
/** Of comparing the machine code of parameters' values before the first trial; of a budget of minutes a tenth
 * at most. */
constexpr double most_comparing_seconds = 20;
/** Of looking for the first valid configuration, or a tenth of the session's time where that is more. */
constexpr double least_probing_seconds = 30;
/** Of measuring the best again, or half of the session's time where that is more. */
constexpr double least_confirming_seconds = 120;
/** Beyond the run time-out, for what is running when a batch ends early: it may be checked or packed still.
 */
constexpr double most_ending_seconds = 60;

/** Seconds for the survey. @param budget 0 minutes: not limited by it */
inline double survey_seconds(const Budget& budget) {
  if (budget.minutes <= 0) return most_survey_seconds;
  return std::clamp(budget_seconds(budget), least_probing_seconds, most_survey_seconds);
}

/** Seconds for the comparison of machine code. @param budget 0 minutes: not limited by it */
inline double comparing_seconds(const Budget& budget) {
  if (budget.minutes <= 0) return most_comparing_seconds;
  return std::min(0.1 * budget_seconds(budget), most_comparing_seconds);
}

/** Seconds for probes that are no trials: none once the budget's minutes are over. */
inline double probing_seconds(const Budget& budget, double session_seconds) {
  const double wanted = std::max(least_probing_seconds, 0.1 * session_seconds);
  if (budget.minutes <= 0) return wanted;
  return std::clamp(budget_seconds(budget) - session_seconds, 0.0, wanted);
}

/** Seconds for the confirmation, over the budget's minutes too: without it there is no result to trust. */
inline double confirming_seconds(double session_seconds) {
  return std::max(least_confirming_seconds, 0.5 * session_seconds);
}

}  // namespace kernelscape
