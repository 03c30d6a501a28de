#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/store/batches.h"
#include "core/store/identifiers.h"
#include "core/store/trial_place.h"
#include "core/store/trials.h"
#include "core/trial/recording.h"
#include "core/trial/replayed_samples.h"

namespace kernelscape::store {

/**
 * Returns the first message id of a recording. Messages of recordings have negative ids, which no stored
 * message has: the upper bits hold the negative recording id, the lower bits the position of the text.
 */
std::int64_t first_message_of(RecordingId id);
/** Returns the recording id from the upper bits of a message id. */
RecordingId recording_of_message(std::int64_t message);

/** A trial whose measurement is a row of a recording. */
struct RecordedTrial {
  std::int64_t number = 0;
  std::int32_t batch = 0;
  std::int32_t position = 0;
  std::uint32_t row = 0;
  double finished_seconds = 0;
  std::optional<trial::ReplayedSamples> samples = {};  ///< the samples that were taken; nullopt: all of them
};

/** The trials of a replayed or recorded session. It is used within one call, while the connection is open. */
class RecordedTrials {
 public:
  using Visitor = std::function<void(const trial::Recording&, const RecordedTrial&)>;

  /** @param place of the trials of `session`, which are not stored as rows */
  RecordedTrials(Connection& connection, SessionId session, TrialPlace place)
      : connection_(connection), session_(session), place_(std::move(place)) {}

  /** Visits the trials numbered [first, end) in ascending order. */
  Status visit(std::int64_t first, std::int64_t end, const Visitor& visit) const;
  /**
   * Visits the trials of visit() as table rows, without the first `skip`. The row is valid during the call.
   */
  Status visit_rows(std::int64_t skip, const std::function<void(const ArrivedRow&)>& visit) const;
  /**
   * Returns the batches by number, with configurations looked up in the recording. A recorded space has one
   * batch of all rows.
   */
  Result<std::vector<StoredBatch>> batches() const;

 private:
  /**
   * Implements visit() for a replayed session, using the rows of its batches. Returns Corrupt if a batch does
   * not fit the recording.
   */
  Status visit_replayed(const trial::Recording& recording, std::int64_t first, std::int64_t end,
                        const Visitor& visit) const;

  Connection& connection_;
  SessionId session_;
  TrialPlace place_;
};

}  // namespace kernelscape::store
