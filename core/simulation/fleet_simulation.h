#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/trial/recording.h"

namespace kernelscape {

/** What measuring one candidate costs a worker. */
struct TrialCost {
  double build_seconds = 0;
  double run_seconds = 0;
  bool runs = true;  ///< false: it was over with its build

  bool operator==(const TrialCost&) const = default;
};

/** Work seconds of every row, in the order of the rows. */
std::vector<TrialCost> recorded_costs(const Recording& recording);

/**
 * Workers that a controller feeds over Redis, and what they are asked to do. Rates are of a machine with two
 * cores on which all of it ran over the loopback, where nothing else is said.
 */
struct SimulatedFleet {
  std::size_t workers = 64;
  /** Of the workers, those that only build, while the others only run. 0: each does both, one task at a time,
   * runs first, since a machine's builders and its runner share the lease of its device. */
  std::size_t builders = 0;

  std::size_t sessions = 64;  ///< at once, each with a tuner of its own
  std::size_t batch = 30;     ///< candidates that a tuner proposes before it observes; 30 is `nose`'s own
  std::size_t trials = 500;   ///< of each session: the default budget

  /** From when a task is sent until its answer is back, when nothing has to be done for it: four equal ways,
   * from the controller to Redis, to the worker, to Redis, to the controller. Measured: 0.2 to 0.6 ms
   * (median); 50 ms stand for a network between cities. */
  double queue_seconds = 0.4e-3;
  /** What Redis is busy with a task, half when it is sent and half when it is answered: 11,400 tasks a second
   * of four workers, each task with 2 KB and its answer with 512 B, the log of changes on the disk every
   * second. */
  double redis_task_seconds = 1 / 11'400.0;
  /** Of a built kernel, which Redis takes with the build's answer and hands to a runner on the other
   * direction of its link: 15 KB is the median of the objects of resnet18/C6, of 15 to 40 KB. */
  double object_bytes = 15e3;
  double redis_bytes_per_second = 1.25e9;  ///< a link of 10 Gb/s
  /** How many share the tasks, one for each device class: sessions and workers are dealt to them in turn. */
  std::size_t redis_servers = 1;
  /** What the controller's one writer is busy with a task, half when it is sent and half when its answer is
   * taken: a trial is two tasks, and 2,000 trials a second are what it has to carry. */
  double controller_task_seconds = 0.25e-3;
  /** Of a tuner for a candidate, to propose and to observe it: `gp` on resnet18/C6 took 0.5 % of 23 s for 60.
   */
  double search_seconds = 1.9e-3;
  std::size_t search_threads = 8;  ///< tuners that compute at once: the cores of a workstation

  double lease_seconds = 10;          ///< after the last heartbeat a task is given to somebody else
  double heartbeat_seconds = 3;       ///< while a worker has a task
  std::uint32_t most_deliveries = 3;  ///< of a task: then it is a dead letter, and its trial an error
  /** Mean of an exponential distribution, for each worker by itself; 0: none is ever killed. A worker that
   * freezes counts as well: what it answers after its lease is refused. */
  double seconds_between_kills = 0;
  /** Until a worker that was killed takes tasks again: Slurm saw a dead node after 34 s, and began its job
   * anew 120 s later. */
  double restart_seconds = 154;

  std::uint64_t seed = 1;
};

/** What a simulated fleet did. */
struct FleetOutcome {
  double wall_seconds = 0;        ///< from when the tuners begin until the last trial has ended
  double work_seconds = 0;        ///< of workers, for answers that came
  double lost_seconds = 0;        ///< of workers, for tasks that a kill ended
  double controller_seconds = 0;  ///< that its writer was busy
  double redis_seconds = 0;       ///< the same of the busiest Redis
  double search_seconds = 0;      ///< of all tuners
  std::uint64_t trials = 0;       ///< that ended, each once
  std::uint64_t dead_letters =
      0;                    ///< trials among them that ended as an error, since no worker lived through them
  std::uint64_t tasks = 0;  ///< builds and runs that were asked for
  std::uint64_t deliveries = 0;  ///< of tasks to workers
  std::uint64_t kills = 0;

  /** Of all sessions together, over the whole wall time. */
  double trials_per_second() const { return static_cast<double>(trials) / wall_seconds; }
  /** Work seconds of the workers' time: 1 where none of them ever waits. */
  double efficiency(std::size_t workers) const {
    return work_seconds / (static_cast<double>(workers) * wall_seconds);
  }

  bool operator==(const FleetOutcome&) const = default;
};

/**
 * Simulates the fleet event by event until all sessions are over: the same arguments give the same outcome.
 *
 * A session proposes a batch, all of it is sent, and once every trial of it has ended the tuner observes and
 * proposes the next. A trial is a build, then a run, each a task in the stream of its kind; a free worker
 * takes the oldest task, and asks for the next with its answer. Redis, the controller's writer and the
 * tuners' threads serve in the order of arrival. A kill ends what a worker does; the task goes to the front
 * of its stream once its lease has run out.
 *
 * Session s measures the costs in an order of its own, shuffled by Random(seed).fork("session s"), and begins
 * again where it has more trials. Worker w lives for -log(1 - u) x seconds_between_kills after each start, u
 * being drawn from Random(seed).fork("worker w").
 *
 * Left out: heartbeats (1,000 workers send 333 in a second, and Redis carries some 45,000 commands), kills of
 * Redis and of the controller, and what a session measures before its first trial.
 *
 * Errors: there are no costs, or one is negative or not finite; numbers that no fleet can have.
 */
Result<FleetOutcome> simulate_fleet(std::span<const TrialCost> costs, const SimulatedFleet& fleet);

}  // namespace kernelscape
