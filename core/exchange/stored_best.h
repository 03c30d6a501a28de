#pragma once

#include <cstdint>
#include <string>

#include "core/analysis/best_result.h"
#include "core/base/result.h"
#include "core/store/store.h"

namespace kernelscape::exchange {

/**
 * Reads the best result of a session, see best_result(). Its trials are read only if they have readings of
 * the machine's speed; otherwise the status names the fastest one, and an unconfirmed result has no samples.
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
