#pragma once

#include <optional>
#include <string>

#include "core/analysis/comparison/comparison_table.h"
#include "core/base/media/terminal.h"
#include "core/study/study.h"

namespace kernelscape {

/** A number with its 95 % interval in brackets; the number alone where it has none. @param text of a number
 */
template <typename Text>
std::string with_interval(double number, const std::optional<ConfidenceInterval>& interval,
                          const Text& text) {
  if (!interval) return text(number);
  return text(number) + " [" + text(interval->low) + ", " + text(interval->high) + "]";
}

/** "0.003", "<0.001". */
std::string p_value_text(double p);

/** What a stored study can and cannot decide, whatever it finds: lists. */
TerminalText planned_text(const StudyDefinition& study, const ComparedRuns& runs);

/**
 * Every tuner against the baseline: difference or ratio with its interval, corrected p, effect and what that
 * decides; over all tasks, of one task within it. Then what hinders verdicts, and ranks over tasks.
 * @param by_task every task as well
 */
TerminalText verdict_text(const ComparedRuns& runs, const ComparisonTable& table, bool by_task);

}  // namespace kernelscape
