#pragma once

#include "app/command_line/json_output.h"
#include "core/analysis/comparison/comparison_table.h"
#include "core/base/media/terminal.h"
#include "core/store/store.h"
#include "core/trial/recording.h"

namespace kernelscape::command_line {

/**
 * Returns the results of a study as tables: every tuner over all tasks, with intervals; verdicts against the
 * baseline; time breakdown and failures.
 * @param by_task also every tuner on every task
 */
base::TerminalText comparison_text(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table,
                                   bool by_task);

/** Returns the errors of a recorded space and the distribution of its performance: NoSE, Figures 3 and 4. */
base::TerminalText recording_text(const trial::Recording& recording);

/** Returns one row of the table as an object, with its verdict. */
nlohmann::json comparison_row_event(store::StudyId study, const analysis::ComparedRuns& runs,
                                    const analysis::ComparisonTable& table,
                                    const analysis::ComparisonRow& row);

/** Returns the numbers of recording_text() as an object. */
nlohmann::json recording_event(store::StudyId study, store::SessionId session,
                               const trial::Recording& recording);

}  // namespace kernelscape::command_line
