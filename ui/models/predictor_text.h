#pragma once

#include <QString>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/study/known_predictors.h"
#include "ui/workspace/training_runner.h"

namespace kernelscape::models {

/** Returns a key that identifies a predictor during the lifetime of the window, even if its state changes. */
QString predictor_key(const study::KnownPredictor& predictor);
/** Returns the key of a predictor of the database. */
QString stored_predictor_key(store::PredictorId id);

/** Returns the predictor's name, or "predictor 3" if it has none. */
QString predictor_title(const study::KnownPredictor& predictor);

/** Returns "training", "interrupted", "failed", "done" or "shipped"; with the reason if there is one. */
QString predictor_state_text(const study::KnownPredictor& predictor);

/** Returns the progress of a training: "epoch 12 of 50, 1 min 5 s left", "reading the data set", "waits". */
QString training_text(const workspace::TrainingView& training);

/** Returns "trained here", "built-in" or "imported from conv.kspred". */
QString predictor_origin_text(const study::KnownPredictor& predictor);

/** Returns "test", "validation" or "training". */
QString data_part_text(predictor::DataPart part);

/** Returns the regret after a number of measurements; nullopt if no task was evaluated at that number. */
std::optional<predictor::RegretAt> regret_after(std::span<const predictor::RegretAt> regret,
                                                std::int64_t measurements);

/** Returns "1.2 % (random 8.1 %)", or no_number() for nullopt. */
QString regret_text(const std::optional<predictor::RegretAt>& regret);

/** Returns the outcomes in a predictor's file; empty if it is not trained yet. */
std::span<const predictor::TaskOutcome> outcomes_of(const study::KnownPredictor& predictor);

/** Returns the known properties of a predictor except its outcomes, as pairs of name and value. */
std::vector<std::pair<QString, QString>> predictor_facts(const study::KnownPredictor& predictor);

}  // namespace kernelscape::models
