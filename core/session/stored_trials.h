#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/store/store.h"

namespace kernelscape::session {

/** The trials that earlier runs of a session stored, with which a resumed session catches up. */
class StoredTrials {
 public:
  /** A stored trial, and its place in the order of arrival. */
  struct Entry {
    store::ArrivedRow row;
    std::int64_t arrival = 0;
  };

  /** Reads the trials of a session, and which of them have series. Errors: those of the store. */
  Status load(const store::Store& store, store::SessionId id);
  /** Returns a trial by its number, or null if it was not measured. */
  const Entry* find(std::int64_t trial) const;
  /** Releases the trials. The last series remains known. */
  void release() { entries_ = std::vector<Entry>(); }
  std::int64_t last_series() const { return last_series_; }  ///< trial of the last stored series; -1: none

 private:
  std::vector<Entry> entries_;  ///< by trial number
  std::int64_t last_series_ = -1;
};

}  // namespace kernelscape::session
