#pragma once

#include <QString>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/study/known_predictors.h"
#include "ui/workspace/training_runner.h"

namespace kernelscape {

/** What tells a predictor from all others while the window lives, whatever becomes of it. */
QString predictor_key(const KnownPredictor& predictor);
/** Of one of the database. */
QString stored_predictor_key(PredictorId id);

/** Its name; "predictor 3" where it has none. */
QString predictor_title(const KnownPredictor& predictor);

/** "training", "interrupted", "failed", "done", "shipped"; with the reason where there is one. */
QString predictor_state_text(const KnownPredictor& predictor);

/** "epoch 12 of 50, 1 min 5 s left", "reading the data set", "waits". */
QString training_text(const TrainingView& training);

/** "trained here", "shipped", "imported from conv.kspred". */
QString predictor_origin_text(const KnownPredictor& predictor);

/** "test", "validation", "training". */
QString data_part_text(DataPart part);

/** After so many measurements; none: no task was judged there. */
std::optional<RegretAt> regret_after(std::span<const RegretAt> regret, std::int64_t measurements);

/** "1.2 % (random 8.1 %)"; no_number() for none. */
QString regret_text(const std::optional<RegretAt>& regret);

/** The outcomes that a predictor's file has; empty where it is not trained yet. */
std::span<const TaskOutcome> outcomes_of(const KnownPredictor& predictor);

/** All that is known of a predictor beside its outcomes, as pairs of what and how much. */
std::vector<std::pair<QString, QString>> predictor_facts(const KnownPredictor& predictor);

}  // namespace kernelscape
