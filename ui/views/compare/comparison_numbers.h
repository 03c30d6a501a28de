#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/figures/registry.h"
#include "ui/models/comparison_text.h"

namespace kernelscape::views {

/** The numbers that the charts and the table of a comparison show. */
struct ComparisonNumbers {
  /**
   * One figure for each kind of figures::Place::CompareCurves; nullopt if the runs have no values of that
   * kind.
   */
  std::vector<std::optional<figures::Figure>> curves;
  std::vector<figures::Figure> costs;       ///< one figure for each kind of CompareCosts
  std::vector<figures::Figure> over_tasks;  ///< one figure for each kind of CompareOverTasks
  std::vector<figures::Figure> tasks;       ///< one figure for each task, whatever task is chosen
  models::JudgedRows judged;  ///< test results over all tasks, because the correction is for all tests
  bool finals_alike = false;  ///< the final performances can't be distinguished on any task
  std::vector<std::string> hindrances;  ///< why tests can't give a verdict, as sentences
};

/**
 * Computes the numbers of a comparison. For background jobs: takes seconds for large studies. Returns nullopt
 * if the job was cancelled.
 */
std::optional<ComparisonNumbers> comparison_numbers(const analysis::ComparedRuns& runs,
                                                    const figures::ComparisonChoice& choice,
                                                    const workspace::JobControl& control);

}  // namespace kernelscape::views
