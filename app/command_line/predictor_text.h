#pragma once

#include <span>

#include "app/command_line/json_output.h"
#include "core/base/media/terminal.h"
#include "core/predictor/evaluation.h"
#include "core/study/known_predictors.h"

namespace kernelscape {

/**
 * Returns for each part with tasks: Kendall's tau, and regret compared with that of random choice, as medians
 * over its tasks.
 */
TerminalText parts_text(std::span<const TaskOutcome> outcomes);
/** Returns the numbers of each task that was not trained on, the worst first. */
TerminalText held_out_text(std::span<const TaskOutcome> outcomes);

/** Returns the rows of parts_text() as a list. */
nlohmann::json parts_json(std::span<const TaskOutcome> outcomes);
/** Returns the quality of a predictor on one task. */
nlohmann::json task_outcome_json(const TaskOutcome& outcome);
/** Returns the results of one training epoch. */
nlohmann::json training_epoch_json(const TrainingEpoch& epoch);

/** Returns all predictors as a table. */
TerminalText predictors_text(std::span<const KnownPredictor> predictors);
/** Returns the origin, training and quality of a predictor. */
TerminalText predictor_details_text(const KnownPredictor& predictor);

/** Returns a row of predictors_text() as an object. */
nlohmann::json predictor_json(const KnownPredictor& predictor);
/** Returns predictor_json() with the facts of predictor_details_text() and all tasks. */
nlohmann::json predictor_details_json(const KnownPredictor& predictor);

}  // namespace kernelscape
