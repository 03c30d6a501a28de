#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/records.h"
#include "core/store/repository.h"

namespace kernelscape::store {

/** The numbers that tuners reported for the trials of sessions. */
class Series : public Repository {
 public:
  using Repository::Repository;

  /**
   * Appends series values. A value that exists already is replaced, because resume reports replayed batches
   * again.
   */
  Status append(SessionId id, std::span<const StoredSeries> values);
  /** Returns all series values, sorted by trial, then by name. */
  Result<std::vector<StoredSeries>> of(SessionId id) const;
  /**
   * Visits the series values of trials numbered `first` and later one by one without keeping them. A value is
   * valid during the call. The values of a batch are committed at once, so that a reader may continue after
   * the last trial it saw.
   */
  Status visit(SessionId id, std::int64_t first, const std::function<void(const StoredSeries&)>& visit) const;
};

}  // namespace kernelscape::store
