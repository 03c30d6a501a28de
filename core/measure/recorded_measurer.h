#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trial/measure_options.h"
#include "core/trial/recording.h"

namespace kernelscape {

/** Candidates that are built together; the next wave begins when all of these are known. */
struct ReplayWave {
  std::size_t first = 0;          ///< position in the batch
  double begin_seconds = 0;       ///< when its first builds begin
  double builds_end_seconds = 0;  ///< from its begin until then some builder is busy
};

/** What a batch of recorded trials costs on the virtual clock. Seconds count from when it was submitted. */
struct ReplaySchedule {
  /** By position: of the recorded run, what a replay of fewer samples does not wait for. Set before; empty:
   * nothing. */
  std::vector<double> seconds_not_run;
  std::vector<double> finished_seconds;  ///< by position
  /** By position: when the last thing it cost begins, its run, or its build where that failed. */
  std::vector<double> started_seconds;
  std::vector<ReplayWave> waves;              ///< in order; none of an empty batch
  double build_seconds = 0;                   ///< wall share: a builder is busy, and the device is not
  double run_seconds = 0;                     ///< wall share: the device is busy
  double end_seconds = 0;                     ///< when the last one was known
  std::vector<double> builders_free_seconds;  ///< when each builder is done with the last wave
};

/**
 * Schedules builds and runs as the real measurer would (README.md, How it measures): builds begin in proposal
 * order on the recording's builders. On a CPU a batch goes in waves of as many candidates as there are
 * builders (of BatchClock::Batches: in one wave), and all builds of a wave are over before its first run; on
 * a GPU a kernel runs once it is built and the device is free, in proposal order. A candidate that failed to
 * build is known when its build ends.
 */
class ReplayClock {
 public:
  /** @param recording outlives it */
  ReplayClock(const Recording& recording, BatchClock clock);

  /**
   * Schedules a batch that is submitted at once.
   * @param schedule its vectors are used again, but for `seconds_not_run`
   */
  void schedule(std::span<const std::uint32_t> rows, ReplaySchedule& schedule) const;

  /**
   * The schedule when nothing after the first `count` positions is finished: shares and end are those up to
   * when the last of these was known, though everything of its wave was submitted. What is finished and
   * started stays, so that it can be cut anew at another count.
   */
  void cut(std::span<const std::uint32_t> rows, std::size_t count, ReplaySchedule& schedule) const;

 private:
  void schedule_builds(std::span<const std::uint32_t> rows, std::size_t end, ReplaySchedule& schedule) const;
  double schedule_runs(std::span<const std::uint32_t> rows, std::size_t end, ReplaySchedule& schedule) const;

  const Recording& recording_;
  std::size_t builders_;
  bool whole_batches_;  ///< every batch is one wave
};

/** The first positions that have begun before `seconds` passed: what a budget of minutes leaves of a batch.
 */
std::size_t begun_before(const ReplaySchedule& schedule, double seconds);

}  // namespace kernelscape
