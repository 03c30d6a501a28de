#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trial/measure_options.h"
#include "core/trial/recording.h"

namespace kernelscape::measure {

/** Candidates that are built together; the next wave begins when the results of all of them are known. */
struct ReplayWave {
  std::size_t first = 0;          ///< position in the batch
  double begin_seconds = 0;       ///< start of its first builds
  double builds_end_seconds = 0;  ///< until then, from the begin of the wave, some builder is busy
};

/** The times of a batch of recorded trials on the virtual clock, in seconds since the batch was submitted. */
struct ReplaySchedule {
  /**
   * By position: the part of the recorded run that a replay with fewer samples skips. An input; empty:
   * nothing is skipped.
   */
  std::vector<double> seconds_not_run;
  std::vector<double> finished_seconds;  ///< by position
  /** By position: start of the last step of the candidate: its run, or its build if that failed. */
  std::vector<double> started_seconds;
  std::vector<ReplayWave> waves;  ///< in order; empty for an empty batch
  double build_seconds = 0;       ///< part of the time breakdown: a builder is busy, and the device is not
  double run_seconds = 0;         ///< part of the time breakdown: the device is busy
  double end_seconds = 0;         ///< when the last result was known
  std::vector<double> builders_free_seconds;  ///< when each builder finishes the last wave
};

/**
 * Schedules builds and runs as the real measurer would (README.md, How it measures): builds begin in proposal
 * order on the recording's builders. On a CPU a batch is split into waves of as many candidates as there are
 * builders (with BatchClock::Batches: one wave), and all builds of a wave end before its first run. On a GPU
 * a kernel runs once it is built and the device is free, in proposal order. The result of a candidate that
 * failed to build is known when its build ends.
 */
class ReplayClock {
 public:
  /** @param recording must outlive this object */
  ReplayClock(const trial::Recording& recording, trial::BatchClock clock);

  /**
   * Schedules a batch whose candidates are all submitted at once.
   * @param schedule output; its vectors are reused, except for the input `seconds_not_run`
   */
  void schedule(std::span<const std::uint32_t> rows, ReplaySchedule& schedule) const;

  /**
   * Recomputes the schedule for the case that only the first `count` positions are finished: time shares and
   * end are those up to the last result of these, although everything of its wave was submitted. Finish and
   * start times stay, so that the schedule can be cut again at another count.
   */
  void cut(std::span<const std::uint32_t> rows, std::size_t count, ReplaySchedule& schedule) const;

 private:
  void schedule_builds(std::span<const std::uint32_t> rows, std::size_t end, ReplaySchedule& schedule) const;
  double schedule_runs(std::span<const std::uint32_t> rows, std::size_t end, ReplaySchedule& schedule) const;

  const trial::Recording& recording_;
  std::size_t builders_;
  bool whole_batches_;  ///< true: every batch is one wave
};

/**
 * Returns the number of leading positions that have begun before `seconds` passed: the part of a batch that
 * fits into a time budget.
 */
std::size_t begun_before(const ReplaySchedule& schedule, double seconds);

}  // namespace kernelscape::measure
