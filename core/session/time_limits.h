#pragma once

#include <algorithm>

#include "core/trial/budget.h"

namespace kernelscape::session {

// Time limits of a session's work beside its search. At its limit, each step ends with the results so far,
// and reports that.

/** Limit of the survey before the first trial; less if the budget has fewer minutes. */
constexpr double max_survey_seconds = 300;
/** Of comparing the machine code of parameters' values before the first trial; of a budget of minutes a tenth
 * at most. */
constexpr double max_comparing_seconds = 20;
/** Of looking for the first valid configuration, or a tenth of the session's time where that is more. */
constexpr double min_probing_seconds = 30;
/** Limit of the confirmation, or half of the session time if that is more. */
constexpr double min_confirming_seconds = 120;
/** Limit of measuring trials of a slow phase again after it, or a twentieth of the session time if that is
 * more. */
constexpr double min_measuring_again_seconds = 10;
/**
 * Time beyond the run time-out for trials that run when a batch ends early: they may still be checked or
 * packed.
 */
constexpr double max_ending_seconds = 60;

/** Returns the seconds for the survey. @param budget 0 minutes: no limit */
inline double survey_seconds(const trial::Budget& budget) {
  if (budget.minutes <= 0) return max_survey_seconds;
  return std::clamp(trial::budget_seconds(budget), min_probing_seconds, max_survey_seconds);
}

/** Seconds for the comparison of machine code. @param budget 0 minutes: not limited by it */
inline double comparing_seconds(const trial::Budget& budget) {
  if (budget.minutes <= 0) return max_comparing_seconds;
  return std::min(0.1 * trial::budget_seconds(budget), max_comparing_seconds);
}

/** Seconds for probes that are no trials: none once the budget's minutes are over. */
inline double probing_seconds(const trial::Budget& budget, double session_seconds) {
  const double wanted = std::max(min_probing_seconds, 0.1 * session_seconds);
  if (budget.minutes <= 0) return wanted;
  return std::clamp(trial::budget_seconds(budget) - session_seconds, 0.0, wanted);
}

/** Returns the seconds for measuring trials of a slow phase again. */
inline double measuring_again_seconds(double session_seconds) {
  return std::max(min_measuring_again_seconds, 0.05 * session_seconds);
}

/**
 * Returns the seconds for the confirmation, which may exceed the budget's minutes: without it no result is
 * reliable.
 */
inline double confirming_seconds(double session_seconds) {
  return std::max(min_confirming_seconds, 0.5 * session_seconds);
}

}  // namespace kernelscape::session
