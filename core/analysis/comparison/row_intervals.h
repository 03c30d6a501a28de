#pragma once

#include <cstddef>
#include <span>

#include "core/analysis/comparison/comparison_table.h"
#include "core/analysis/comparison/run_numbers.h"

namespace kernelscape::analysis {

/**
 * Computes the intervals of all numbers of the rows, and the ratios to the baseline. Every arm's runs on a
 * task are drawn once per resample and used for all numbers; all arms use the same drawn tasks and, for
 * paired starts, the same repeats.
 * @param by_task in the order of runs.cells @param over_tasks by arm
 */
void fill_intervals(const NumberedRuns& runs, std::size_t baseline, const BootstrapOptions& options,
                    std::span<ComparisonRow> by_task, std::span<ComparisonRow> over_tasks);

}  // namespace kernelscape::analysis
