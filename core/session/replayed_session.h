#pragma once

#include <optional>

#include "core/session/preparation.h"

namespace kernelscape::session {

/**
 * Runs a prepared replay (its recording is set) to its end, on the virtual clock: proposals are looked up in
 * the recording, builds and runs are scheduled as the real measurer would, and the tuner's own time is added
 * as the measuring options specify. Trials are stored in groups of some thousands.
 *
 * Budgets mean what they mean for measured sessions, but minutes are those of the virtual clock. A resumed
 * replay starts from the beginning, compares each candidate with the stored one, and continues after the last
 * of them; the search seconds of stored batches do not change.
 * @param resumed the session to resume; nullopt: a new session
 */
Result<Outcome> run_replay(store::Store& store, const PreparedTuning& tuning,
                           std::optional<store::SessionId> resumed, Observer& observer,
                           const StopRequest& stop);

}  // namespace kernelscape::session
