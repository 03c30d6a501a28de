#pragma once

#include <vector>

#include "core/session/batch.h"
#include "core/store/store.h"
#include "core/trial/worker_tracks.h"

namespace kernelscape::session {

/**
 * Returns the trials of slow phases that are among the ten best of a session by corrected time, fastest
 * first; the seconds are corrected. Whether they are among the best is known only after they are measured
 * again.
 * @param tracks with the readings of all stored rows
 */
Result<std::vector<BestTrials::Entry>> uncertain_trials(const store::Store& store, store::SessionId id,
                                                        const trial::WorkerTracks& tracks);

/** Appends the trials of `more` that `trials` does not contain. */
void append_missing(std::vector<BestTrials::Entry>& trials, std::vector<BestTrials::Entry> more);

}  // namespace kernelscape::session
