#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "ui/charts/bars/category_chart.h"
#include "ui/charts/bars/phase_chart.h"
#include "ui/charts/courses/compare_curve_chart.h"

namespace kernelscape {

/** What of a comparison is wanted. */
struct ComparisonChoice {
  CompareAxis axis = CompareAxis::Seconds;
  bool performance = false;         ///< GFLOPS instead of shares; only where there is one task
  std::optional<std::size_t> task;  ///< none: all
  std::size_t baseline = 0;
  bool logarithmic = false;                ///< the grid of times or trials
  std::set<std::int64_t> hidden_sessions;  ///< runs that count nowhere

  bool operator==(const ComparisonChoice&) const = default;
};

/** All that the charts and the table of a comparison show. */
struct ComparisonNumbers {
  CompareCurveData curves;
  CompareCurveData speed_ups;
  std::vector<CompareCurveData> tasks;  ///< one for each, whatever is chosen
  std::vector<ArmPhases> phases;
  std::vector<ArmCategories> categories;
  ComparisonTable table;  ///< of all tasks: its correction is for all tests
};

/**
 * Computes it; seconds for big studies, so never on the window's thread.
 * @param proceed asked between parts; false: gives up
 * @return none: gave up
 */
std::optional<ComparisonNumbers> comparison_numbers(const ComparedRuns& runs, const ComparisonChoice& choice,
                                                    const std::function<bool()>& proceed);

}  // namespace kernelscape
