#pragma once

#include <span>
#include <vector>

#include "core/study/study_execution.h"

namespace kernelscape {

/**
 * Runs what is missing of a network whose layers share one budget (StudyDefinition::scheduler), or the rounds
 * for their first kernels (StudyDefinition::first_trials). Its owner calls it.
 *
 * The budget goes out in rounds: a layer's session is begun, or resumed with so many more trials, and stands
 * still until its next round. StudyDefinition::layers_at_once of them are made at the same time, each in a
 * thread with a store of its own. What is next follows from what is stored alone (see due_rounds()), and a
 * round that was broken off comes to its end first: a run that was killed goes on exactly. Where a layer has
 * a budget for itself, it uses the rest of it after the first kernels of all layers. Once the trials of a
 * shared one are used, the session time of all layers has reached the minutes, or no layer has anything left
 * (its patience is over, its space was visited), the best of every layer are measured again beside the
 * vendor's library.
 *
 * A layer that is the same task as one that was tuned before on this target begins with those trials.
 *
 * Layers may be recorded spaces, all of them: their rounds are replayed, begin with nothing, and are not
 * measured again.
 */
Result<StudyOutcome> run_shared_budget(Store& store, StudyId id, const StudyDefinition& study,
                                       const StudyOptions& options, StudyObserver& observer,
                                       const StopRequest& stop);

/** The best time within each of the trial limits that a layer's session was given, which are its rounds; 0:
 * no kernel was right yet. */
std::vector<double> best_after_rounds(std::span<const Store::ArrivedRow> rows, const BudgetPlan& plan);

/** Whether a layer gets no more: its session ended before its limit, or failed. Of one that was killed the
 * state may be that of before its round. */
bool layer_has_ended(const SessionSummary& session, std::int64_t allotted);

}  // namespace kernelscape
