#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/trial/recording.h"

namespace kernelscape::simulation {

/** The time that a worker spends on measuring one candidate. */
struct TrialCost {
  double build_seconds = 0;
  double run_seconds = 0;
  bool runs = true;  ///< false: the trial ended with its build

  bool operator==(const TrialCost&) const = default;
};

/** Returns the build and run time of every row, in the order of the rows. */
std::vector<TrialCost> recorded_costs(const trial::Recording& recording);

/**
 * Workers that a controller supplies over Redis, and the sessions that they serve. Unless stated otherwise,
 * rates were measured on a machine with two cores that ran all programs over the loopback device.
 */
struct SimulatedFleet {
  std::size_t workers = 64;
  /**
   * Number of workers that only build, while the others only run. With 0, each worker does both, one task at
   * a time and runs first, since the builders and the runner of a machine share the lease of its device.
   */
  std::size_t builders = 0;

  std::size_t sessions = 64;  ///< concurrent sessions, each with its own tuner
  /** Candidates that a tuner proposes before it observes; 30 is the default of `nose`. */
  std::size_t batch = 30;
  std::size_t trials = 500;  ///< trials of each session: the default budget

  /**
   * Time from sending a task to receiving its result when the task itself takes no time: four equal legs,
   * from the controller to Redis, to the worker, to Redis, to the controller. Measured: 0.2 to 0.6 ms
   * (median). 50 ms represent a network between cities.
   */
  double queue_seconds = 0.4e-3;
  /**
   * Time that Redis spends on a task, half when the task is sent and half when its result arrives: 11,400
   * tasks a second of four workers, with 2 KB per task and 512 B per result, and the append-only log written
   * to disk every second.
   */
  double redis_task_seconds = 1 / 11'400.0;
  /**
   * Size of a built kernel, which Redis receives with the build result and sends to a runner in the other
   * direction of its link: 15 KB is the median of the objects of resnet18/C6, which have 15 to 40 KB.
   */
  double object_bytes = 15e3;
  double redis_bytes_per_second = 1.25e9;  ///< a link of 10 Gb/s
  /**
   * Number of Redis servers that share the tasks, one per device class. Sessions and workers are assigned to
   * them in turn.
   */
  std::size_t redis_servers = 1;
  /**
   * Time that the controller's single writer spends on a task, half when the task is sent and half when its
   * result is received. A trial is two tasks, and the controller must sustain 2,000 trials a second.
   */
  double controller_task_seconds = 0.25e-3;
  /**
   * Time that a tuner takes to propose and observe a candidate: `gp` on resnet18/C6 took 0.5 % of 23 s for 60
   * candidates.
   */
  double search_seconds = 1.9e-3;
  std::size_t search_threads = 8;  ///< tuners that compute at the same time: the cores of a workstation

  double lease_seconds = 10;     ///< time after the last heartbeat until a task is assigned to another worker
  double heartbeat_seconds = 3;  ///< heartbeat interval while a worker has a task
  /** Deliveries of a task before it becomes a dead letter and its trial an error. */
  std::uint32_t max_deliveries = 3;
  /**
   * Mean of an exponential distribution, drawn for each worker separately; 0: no worker is ever killed. A
   * worker that freezes counts as killed, since its results are refused after its lease has expired.
   */
  double seconds_between_kills = 0;
  /**
   * Time until a killed worker takes tasks again: Slurm noticed a dead node after 34 s, and restarted its job
   * 120 s later.
   */
  double restart_seconds = 154;

  std::uint64_t seed = 1;
};

/** The results of a fleet simulation. */
struct FleetOutcome {
  double wall_seconds = 0;        ///< time from the start of the tuners to the end of the last trial
  double work_seconds = 0;        ///< time of workers spent on tasks whose results were received
  double lost_seconds = 0;        ///< time of workers spent on tasks that a kill ended
  double controller_seconds = 0;  ///< time that the controller's writer was busy
  double redis_seconds = 0;       ///< time that the busiest Redis server was busy
  double search_seconds = 0;      ///< time of all tuners
  std::uint64_t trials = 0;       ///< trials that ended, each counted once
  /** Trials among them that ended as an error because every worker died during them. */
  std::uint64_t dead_letters = 0;
  std::uint64_t tasks = 0;       ///< requested builds and runs
  std::uint64_t deliveries = 0;  ///< deliveries of tasks to workers
  std::uint64_t kills = 0;

  /** Returns the rate of all sessions together over the whole wall time. */
  double trials_per_second() const { return static_cast<double>(trials) / wall_seconds; }
  /** Returns the build and run time as a share of the workers' time: 1 if no worker ever waits. */
  double efficiency(std::size_t workers) const {
    return work_seconds / (static_cast<double>(workers) * wall_seconds);
  }

  bool operator==(const FleetOutcome&) const = default;
};

/**
 * Simulates the fleet event by event until all sessions have ended. Equal arguments give an equal outcome.
 *
 * A session proposes a batch and sends all of it. Once every trial of the batch has ended, the tuner observes
 * it and proposes the next. A trial is a build, then a run; each is a task in the stream of its kind. A free
 * worker takes the oldest task, and requests the next one with its result. Redis, the controller's writer and
 * the tuners' threads serve in the order of arrival. A kill ends the current task of a worker; the task
 * returns to the front of its stream once its lease has expired.
 *
 * Session s measures the costs in an order shuffled by Random(seed).fork("session s"), and starts again from
 * the first if it has more trials. Worker w lives for -log(1 - u) x seconds_between_kills after each start,
 * where u is drawn from Random(seed).fork("worker w").
 *
 * Not simulated: heartbeats (1,000 workers send 333 in a second, and Redis sustains some 45,000 commands),
 * kills of Redis and of the controller, and what a session measures before its first trial.
 *
 * Returns an error if there are no costs, a cost is negative or not finite, or a number of the fleet is out
 * of range.
 */
Result<FleetOutcome> simulate_fleet(std::span<const TrialCost> costs, const SimulatedFleet& fleet);

}  // namespace kernelscape::simulation
