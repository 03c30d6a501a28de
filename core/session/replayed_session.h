#pragma once

#include <optional>

#include "core/session/preparation.h"

namespace kernelscape {

/**
 * Runs a prepared replay (its recording is set) to its end, on the virtual clock: proposals are looked up in
 * the recording, builds and runs scheduled as the real measurer would, and the tuner's own time added as the
 * measuring options say. Trials are stored some thousands at a time.
 *
 * Budgets mean what they mean for measured sessions, minutes those of the virtual clock. A resumed replay
 * begins anew, compares each candidate with the stored one, and goes on where they end; the search seconds of
 * stored batches stay what they were.
 * @param resumed the session to go on with; none: a new one
 */
Result<SessionOutcome> run_replay(Store& store, const PreparedTuning& tuning,
                                  std::optional<SessionId> resumed, SessionObserver& observer,
                                  const StopRequest& stop);

}  // namespace kernelscape
