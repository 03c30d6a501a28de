#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/analysis/timeline.h"

namespace kernelscape::analysis {

// The part of make_timeline() that derives when kernels were built.

/** A trial of one machine with a session time. */
struct TimedTrial {
  std::int64_t row = 0;     ///< by order of arrival
  std::int64_t number = 0;  ///< in the order of proposals
  std::int32_t batch = 0;
  trial::ErrorCategory category = trial::ErrorCategory::NoError;
  double finished_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;

  bool ran() const { return run_seconds > 0; }  ///< false: it ended with its build
};

/**
 * Returns the builds of a machine whose device pauses while kernels are built, in any order.
 * @param trials by the time at which they finished
 * @param runs of these trials, in the same order
 * @param builders that work at the same time; 0: not known, all builds of a pause begin together
 */
std::vector<TimelineBlock> builds_before_runs(const std::vector<TimedTrial>& trials,
                                              const std::vector<TimelineBlock>& runs, std::size_t builders);

/**
 * Returns the builds of a machine that builds while its device runs kernels, in any order.
 * @param begins when the first builds of each batch began
 */
std::vector<TimelineBlock> builds_beside_runs(const std::vector<TimedTrial>& trials,
                                              const std::vector<TimelineBlock>& runs,
                                              const std::map<std::int32_t, double>& begins,
                                              std::size_t builders);

/**
 * Distributes builds over as few builders as do not work on two kernels at once; builds of which too many
 * overlap share the last builders. Each builder's blocks are ascending.
 */
std::vector<std::vector<TimelineBlock>> builder_lanes(std::vector<TimelineBlock> builds);

}  // namespace kernelscape::analysis
