#pragma once

#include <cstdint>
#include <functional>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/records.h"
#include "core/store/trial_place.h"
#include "core/trial/recording.h"

// How the batches of replayed sessions are stored.
namespace kernelscape::store {

struct Connection;

/** Returns the row of the recording without the flag that the trial was cut short. */
std::uint32_t recorded_row(std::uint32_t number);

/**
 * Inserts a batch of a replayed session, as a part of a transaction that the caller began. Returns Internal
 * if the session is not a replay.
 */
Status insert_replayed_batch(Connection& connection, SessionId id, const ReplayedBatch& batch);

/**
 * Visits the batch of a replayed session that contains the trial numbered `first`, and the following batches
 * that begin before the trial numbered `end`. Returns Corrupt if a batch does not fit the recording.
 */
Status visit_replayed_batches(Connection& connection, SessionId id, const TrialPlace& place,
                              const trial::Recording& recording, std::int64_t first, std::int64_t end,
                              const std::function<void(const ReplayedBatch&)>& visit);

}  // namespace kernelscape::store
