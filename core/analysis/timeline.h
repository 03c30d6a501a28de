#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trial/table.h"

namespace kernelscape::analysis {

/** What the tuner, a builder or a device does during a block of a timeline. */
enum class Activity : std::uint8_t {
  Search,
  Build,
  Run,
  Wait,
  Confirm  ///< the best trials are measured again at the end of the session
};

/** A time during which a lane of a timeline has one activity, in seconds of session time. */
struct TimelineBlock {
  double begin_seconds = 0;
  double end_seconds = 0;
  std::int64_t row = -1;  ///< of the trial, by order of arrival; -1: the block belongs to no trial
  /** The category of the trial if it failed in this block: a failed build, or a failed run. */
  trial::ErrorCategory failure = trial::ErrorCategory::NoError;

  bool operator==(const TimelineBlock&) const = default;
};

/** One row of a timeline: the tuner, a builder, a device, or the waiting of a machine. */
struct TimelineLane {
  Activity activity = Activity::Run;
  std::uint16_t machine = 0;          ///< worker of a fleet, see trial::Row::worker; 0: this machine
  std::vector<TimelineBlock> blocks;  ///< ascending, by begin and by end

  bool operator==(const TimelineLane&) const = default;
};

/** The speed of a machine when a trial had finished. */
struct TimelineSpeed {
  double seconds = 0;    ///< session time
  double speed = 0;      ///< relative to the machine's usual speed
  std::int64_t row = 0;  ///< of the trial

  bool operator==(const TimelineSpeed&) const = default;
};

/** The speed of one machine over the session. */
struct TimelineSpeeds {
  std::uint16_t machine = 0;
  std::vector<TimelineSpeed> points;  ///< ascending by time

  bool operator==(const TimelineSpeeds&) const = default;
};

/** What the tuner, the builders and the devices of a session did, over session time. */
struct Timeline {
  /** Search and confirmation first; then for each machine its builders, its device, and its waiting. */
  std::vector<TimelineLane> lanes;
  std::vector<TimelineSpeeds> speeds;  ///< of the machines that have readings of the speed probe
  double end_seconds = 0;
  std::int64_t untimed = 0;  ///< trials without a session time, which have no blocks

  bool operator==(const Timeline&) const = default;
};

/** The time that the tuner was charged before it proposed a batch. */
struct BatchSearch {
  std::int32_t batch = 0;
  double seconds = 0;
};

struct TimelineInput {
  trial::Snapshot trials;                   ///< with the machine's speed of each row, if it is known
  std::span<const BatchSearch> searches{};  ///< by batch
  double session_seconds = 0;
  /** Session times at which the best trials had been confirmed, ascending: ends of the session so far. */
  std::span<const double> confirmed_seconds{};
  std::size_t builders = 0;         ///< of this machine; 0: not known
  bool builds_beside_runs = false;  ///< see schedule::TargetDescription::builds_beside_runs()
};

/**
 * Derives the timeline of a session from its stored times. Sessions store when the result of each trial was
 * known, how long its build and its run took, and how long the tuner searched before each batch. Certain are
 * therefore all durations, and the ends of runs and of failed builds. Derived are:
 *
 * - runs: a device runs one kernel at a time, so a run that was reported late ends when the next one begins;
 * - builds of kernels that were run: in the last pause of the device before the run that is long enough, by
 *   the number of builders and in the order of the proposals, so that they end when the pause ends. If
 *   builds continue beside runs, they begin after the search of their batch;
 * - the search of a batch: it begins when the previous batch is finished;
 * - the confirmation of the best trials: from the last trial to the end of the session;
 * - waiting: the rest of the session, and for a worker of a fleet the rest between its first and its last
 *   block.
 *
 * O(n log n) in the number of trials.
 */
Timeline make_timeline(const TimelineInput& input);

}  // namespace kernelscape::analysis
