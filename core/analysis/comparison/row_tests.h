#pragma once

#include <cstddef>
#include <span>

#include "core/analysis/comparison/comparison_table.h"
#include "core/analysis/comparison/run_numbers.h"

namespace kernelscape {

/**
 * Tests each arm against the baseline within each task, on every measure, and corrects over all of them: runs
 * of paired starts pair by pair.
 * @param by_task as runs.cells
 * @return tests in the correction's family
 */
std::size_t fill_tests_within_tasks(const NumberedRuns& runs, std::size_t baseline,
                                    std::span<ComparisonRow> by_task);

/**
 * The same over tasks, from the numbers of `by_task`.
 * @param over_tasks by arm
 */
std::size_t fill_tests_over_tasks(const NumberedRuns& runs, std::size_t baseline,
                                  std::span<const ComparisonRow> by_task,
                                  std::span<ComparisonRow> over_tasks);

}  // namespace kernelscape
