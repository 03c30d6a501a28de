#pragma once

#include <cstddef>
#include <span>

#include "core/analysis/comparison/comparison_table.h"
#include "core/analysis/comparison/run_numbers.h"

namespace kernelscape {

/**
 * Intervals of all numbers of the rows, and ratios to the baseline. Every arm's runs on a task are drawn once
 * per resample and for all numbers alike; the same tasks are drawn for all arms, and of paired starts the
 * same repeats.
 * @param by_task as runs.cells @param over_tasks by arm
 */
void fill_intervals(const NumberedRuns& runs, std::size_t baseline, const BootstrapOptions& options,
                    std::span<ComparisonRow> by_task, std::span<ComparisonRow> over_tasks);

}  // namespace kernelscape
