#pragma once

#include <optional>
#include <string>

#include "core/analysis/comparison/comparison_table.h"
#include "core/base/media/terminal.h"
#include "core/study/study.h"

namespace kernelscape::command_line {

/**
 * Returns a number with its 95 % interval in brackets, or the number alone if it has none.
 * @param text formats a number
 */
template <typename Text>
std::string with_interval(double number, const std::optional<analysis::ConfidenceInterval>& interval,
                          const Text& text) {
  if (!interval) return text(number);
  return text(number) + " [" + text(interval->low) + ", " + text(interval->high) + "]";
}

/** Returns a p-value as text: "0.003", "<0.001". */
std::string p_value_text(double p);

/** Lists what a stored study can and cannot decide, whatever its results are. */
base::TerminalText planned_text(const study::Definition& study, const analysis::ComparedRuns& runs);

/**
 * Compares every tuner with the baseline: difference or ratio with its interval, corrected p, effect size and
 * verdict; over all tasks, or within the task if there is only one. Then lists the reasons that block
 * verdicts, and ranks over tasks.
 * @param by_task also compares on every task
 */
base::TerminalText verdict_text(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table,
                                bool by_task);

}  // namespace kernelscape::command_line
