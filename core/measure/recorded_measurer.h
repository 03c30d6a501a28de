#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trial/recording.h"

namespace kernelscape {

/** What a batch of recorded trials costs on the virtual clock. Seconds count from when it was submitted. */
struct ReplaySchedule {
  std::vector<double> finished_seconds;  ///< by position
  /** By position: when the last thing it cost begins, its run, or its build where that failed. */
  std::vector<double> started_seconds;
  double builds_end_seconds = 0;              ///< until then some builder is busy
  double build_seconds = 0;                   ///< wall share: a builder is busy, and the device is not
  double run_seconds = 0;                     ///< wall share: the device is busy
  double end_seconds = 0;                     ///< when the last one was known
  std::vector<double> builders_free_seconds;  ///< when each builder is done
};

/**
 * Builds and runs scheduled as the real measurer would (design: Measuring): builds begin in proposal order on
 * `builders` workers; on a CPU all builds are over before the first run, on a GPU a kernel runs once it is
 * built and the device is free, in proposal order. A candidate that failed to build is known when its build
 * ends.
 * @param schedule its vectors are used again
 */
void schedule_replay(const Recording& recording, std::span<const std::uint32_t> rows,
                     ReplaySchedule& schedule);

/** The first positions that have begun before `seconds` passed: what a budget of minutes leaves of a batch.
 */
std::size_t begun_before(const ReplaySchedule& schedule, double seconds);

/**
 * The schedule when nothing after the first `count` positions is finished: shares and end are those up to
 * when the last of these was known, though everything was submitted.
 */
void cut_schedule(const Recording& recording, std::span<const std::uint32_t> rows, std::size_t count,
                  ReplaySchedule& schedule);

}  // namespace kernelscape
