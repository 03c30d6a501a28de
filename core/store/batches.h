#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/store/identifiers.h"
#include "core/store/records.h"
#include "core/store/repository.h"

namespace kernelscape::store {

/** A proposed batch. */
struct StoredBatch {
  std::int32_t batch = 0;
  std::vector<space::Configuration> candidates;
  double search_seconds = 0;

  bool operator==(const StoredBatch&) const = default;
};

/** The batches that tuners proposed in the sessions of a database. */
class Batches : public Repository {
 public:
  using Repository::Repository;

  /**
   * Commits a proposed batch before it is measured, so that resume can compare proposals with it. @param
   * search_seconds time that the proposal took
   */
  Status append(SessionId id, std::int32_t batch, std::span<const space::Configuration> candidates,
                double search_seconds);
  /**
   * Returns the batches by number; a recorded space has one batch of all rows. Resume compares proposals with
   * them.
   */
  Result<std::vector<StoredBatch>> of(SessionId id) const;

  /**
   * Commits replayed batches, the series of their trials and the session's counters; each batch is one row. A
   * killed replay loses what was not committed and repeats it. Every batch must have trials, and batches are
   * appended in the order of their trials.
   */
  Status append_replayed(SessionId id, std::span<const ReplayedBatch> batches,
                         std::span<const StoredSeries> series, const SessionStatus& status);
};

}  // namespace kernelscape::store
