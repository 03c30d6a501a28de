#pragma once

#include "app/command_line/json_output.h"
#include "core/analysis/comparison/comparison_table.h"
#include "core/base/media/terminal.h"
#include "core/store/store.h"
#include "core/trial/recording.h"

namespace kernelscape {

/**
 * What a study found, as tables: every tuner over all tasks, with intervals; what that decides against the
 * baseline; where the time went, what failed.
 * @param by_task every tuner on every task as well
 */
TerminalText comparison_text(const ComparedRuns& runs, const ComparisonTable& table, bool by_task);

/** The errors of a recorded space and the distribution of its performance: NoSE, Figures 3 and 4. */
TerminalText recording_text(const Recording& recording);

/** One row of the table as an object, with what it decides. */
nlohmann::json comparison_row_event(StudyId study, const ComparedRuns& runs, const ComparisonTable& table,
                                    const ComparisonRow& row);

/** The same numbers as recording_text() gives. */
nlohmann::json recording_event(StudyId study, SessionId session, const Recording& recording);

}  // namespace kernelscape
