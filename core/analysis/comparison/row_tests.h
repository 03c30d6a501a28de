#pragma once

#include <cstddef>
#include <span>

#include "core/analysis/comparison/comparison_table.h"
#include "core/analysis/comparison/run_numbers.h"

namespace kernelscape::analysis {

/**
 * Tests each arm against the baseline within each task, on every measure, and corrects over all tests. Runs
 * of paired starts are tested in pairs.
 * @param by_task in the order of runs.cells
 * @return the number of tests in the correction's family
 */
std::size_t fill_tests_within_tasks(const NumberedRuns& runs, std::size_t baseline,
                                    std::span<ComparisonRow> by_task);

/**
 * Tests each arm against the baseline over tasks, on every measure, from the numbers of `by_task`, and
 * corrects over all tests.
 * @param over_tasks by arm
 * @return the number of tests in the correction's family
 */
std::size_t fill_tests_over_tasks(const NumberedRuns& runs, std::size_t baseline,
                                  std::span<const ComparisonRow> by_task,
                                  std::span<ComparisonRow> over_tasks);

}  // namespace kernelscape::analysis
