#pragma once

#include <span>

#include "app/command_line/json_output.h"
#include "core/base/media/terminal.h"
#include "core/predictor/evaluation.h"
#include "core/study/known_predictors.h"

namespace kernelscape {

/** Of each part that has tasks: Kendall's tau and regret beside random's, as medians over its tasks. */
TerminalText parts_text(std::span<const TaskOutcome> outcomes);
/** The same of each task that was not trained on, the least well known first. */
TerminalText held_out_text(std::span<const TaskOutcome> outcomes);

/** The rows of parts_text(), as a list. */
nlohmann::json parts_json(std::span<const TaskOutcome> outcomes);
/** What a predictor says of one task. */
nlohmann::json task_outcome_json(const TaskOutcome& outcome);
/** What training said after one epoch. */
nlohmann::json training_epoch_json(const TrainingEpoch& epoch);

/** All predictors as a table. */
TerminalText predictors_text(std::span<const KnownPredictor> predictors);
/** Where one comes from, how it was trained, and what it is worth. */
TerminalText predictor_details_text(const KnownPredictor& predictor);

/** A row of predictors_text(). */
nlohmann::json predictor_json(const KnownPredictor& predictor);
/** The same with what predictor_details_text() says, and all tasks. */
nlohmann::json predictor_details_json(const KnownPredictor& predictor);

}  // namespace kernelscape
