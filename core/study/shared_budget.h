#pragma once

#include <span>
#include <vector>

#include "core/study/execution.h"

namespace kernelscape::study {

/**
 * Runs the missing rounds of a network whose layers share one budget (Definition::scheduler), or the
 * rounds for their first kernels (Definition::first_trials). The caller must own the study.
 *
 * The budget is spent in rounds: a layer's session starts, or resumes with a number of additional trials, and
 * then pauses until its next round. Definition::layers_at_once rounds run at the same time, each in a
 * thread with its own store. The next rounds depend only on what is stored (see due_rounds()), and an
 * interrupted round is completed first, so a run that was killed resumes exactly. A layer with its own budget
 * uses the rest of it after the first kernels of all layers. When the trials of a shared budget are used, the
 * session time of all layers has reached the minutes, or no layer can continue (its patience is over, or its
 * space was visited), the best kernels of every layer are measured again beside the vendor's library.
 *
 * A layer that is the same task as a layer tuned before on this target starts with those trials.
 *
 * Layers may be recorded spaces if all of them are: their rounds are replayed, start without earlier trials,
 * and are not measured again.
 */
Result<Outcome> run_shared_budget(store::Store& store, store::StudyId id, const Definition& study,
                                  const Options& options, Observer& observer,
                                  const session::StopRequest& stop);

/**
 * Returns the best time within each of the trial limits that a layer's session was given (one per round); 0:
 * no kernel was correct yet.
 */
std::vector<double> best_after_rounds(std::span<const store::ArrivedRow> rows, const trial::BudgetPlan& plan);

/**
 * Returns true if the layer needs no further rounds because its session ended before its limit, or failed.
 * The state of a session that was killed may be that from before its round.
 */
bool layer_has_ended(const store::SessionSummary& session, std::int64_t allotted);

}  // namespace kernelscape::study
