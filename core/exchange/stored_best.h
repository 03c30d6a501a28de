#pragma once

#include <cstdint>
#include <string>

#include "core/analysis/best_result.h"
#include "core/base/result.h"
#include "core/store/store.h"

namespace kernelscape::exchange {

/**
 * Reads the best result of a session, see best_result(). Cheap for a session that ended: the status names its
 * best trial, with the machine's speed (Baselines::measured_best). All trials are read only if they have
 * readings of the machine's speed and the status does not say so of the present trials: while the session
 * runs, and if an earlier version measured it. An unconfirmed result without readings has no samples.
 */
Result<analysis::BestResult> read_best(const store::Store& store, const store::SessionSummary& session);

/** Returns the best result that a session's status names, unconfirmed: for sessions that cannot be read. */
analysis::BestResult best_of_status(const store::SessionStatus& status);

/** Reads the result of one trial: that of read_best() if it is the best one, else see trial_result(). */
Result<analysis::BestResult> read_result(const store::Store& store, const store::SessionSummary& session,
                                         std::int64_t trial);

/**
 * Returns the words that qualify a result of a session: best_mark() if it was measured in the session, else
 * "recorded" or "imported", even if a file claims confirmations.
 */
std::string result_mark(const store::SessionRecord& record, const analysis::BestResult& best);

}  // namespace kernelscape::exchange
