#pragma once

#include <span>

#include "app/command_line/json_output.h"
#include "core/base/media/terminal.h"
#include "core/predictor/evaluation.h"
#include "core/study/known_predictors.h"

namespace kernelscape::command_line {

/**
 * Returns for each part with tasks: Kendall's tau, and regret compared with that of random choice, as medians
 * over its tasks.
 */
base::TerminalText parts_text(std::span<const predictor::TaskOutcome> outcomes);
/** Returns the numbers of each task that was not trained on, the worst first. */
base::TerminalText held_out_text(std::span<const predictor::TaskOutcome> outcomes);

/** Returns the rows of parts_text() as a list. */
nlohmann::json parts_json(std::span<const predictor::TaskOutcome> outcomes);
/** Returns the quality of a predictor on one task. */
nlohmann::json task_outcome_json(const predictor::TaskOutcome& outcome);
/** Returns the results of one training epoch. */
nlohmann::json training_epoch_json(const predictor::TrainingEpoch& epoch);

/** Returns all predictors as a table. */
base::TerminalText predictors_text(std::span<const study::KnownPredictor> predictors);
/** Returns the origin, training and quality of a predictor. */
base::TerminalText predictor_details_text(const study::KnownPredictor& predictor);

/** Returns a row of predictors_text() as an object. */
nlohmann::json predictor_json(const study::KnownPredictor& predictor);
/** Returns predictor_json() with the facts of predictor_details_text() and all tasks. */
nlohmann::json predictor_details_json(const study::KnownPredictor& predictor);

}  // namespace kernelscape::command_line
