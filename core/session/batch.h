#pragma once

#include <cstdint>
#include <vector>

#include "core/trial/trial.h"

namespace kernelscape::session {

/** A proposed batch. */
struct Batch {
  std::int32_t number = 0;
  std::int64_t first_trial = 0;  ///< number of the trial at position 0
  std::vector<space::Configuration> candidates;
};

/** How measuring a batch ended. */
enum class BatchEnd {
  Complete,
  Stopped,     ///< by a stop request
  OutOfTime,   ///< the minutes of the budget were over
  OutOfTrials  ///< the trial limit, which is lower than the number of proposed trials, was reached
};

/** The best trials of a session by median; among equal medians the lower trial number. */
class BestTrials {
 public:
  struct Entry {
    std::int64_t trial = 0;
    double seconds = 0;
    space::Configuration configuration;
  };
  static constexpr std::size_t most = 5;

  /**
   * Keeps the `most` fastest; a trial without a time (seconds <= 0) is ignored. A trial that was measured
   * again replaces its earlier entry.
   */
  void add(const Entry& entry);
  const std::vector<Entry>& entries() const { return entries_; }  ///< fastest first, at most `most`

 private:
  std::vector<Entry> entries_;
};

}  // namespace kernelscape::session
