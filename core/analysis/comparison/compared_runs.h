#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/error_breakdown.h"
#include "core/analysis/time_split.h"

namespace kernelscape::analysis {

/**
 * Best performance so far as a step function: change points only, from the first valid trial on. It rises,
 * except for replays that took fewer samples than were recorded, in which a configuration that looked better
 * may be slower.
 */
struct BestCurve {
  std::vector<double> seconds;      ///< session time of each improvement, ascending
  std::vector<double> trials;       ///< trials made by then, ascending
  std::vector<double> performance;  ///< from this point on: GFLOP/s, or calls per second; higher is better
  double end_seconds = 0;           ///< end of the run, or the current time
  double end_trials = 0;

  /**
   * Returns the performance at a time: 0 before the first valid trial; the last value after the run's end.
   */
  double at_seconds(double x) const;
  double at_trials(double x) const;  ///< performance after a number of trials
  /** Returns the performance at the end, or 0 without a valid trial. */
  double best() const { return performance.empty() ? 0 : performance.back(); }
};

/**
 * Returns the best performance so far of a session's trials in order of arrival. Times never decrease from
 * one improvement to the next, and the end is never before the last trial.
 * @param flops of the task; 0: not known, performance is calls per second
 * @param end_seconds session time of the run's end, or the current session time
 * @param true_seconds by row, the recorded time of a trial that was chosen by fewer samples; empty: its
 * median
 */
BestCurve best_curve(const trial::Snapshot& trials, double flops, double end_seconds,
                     std::span<const double> true_seconds = {});

/**
 * A number that a tuner reported for its trials, as a step function: each value holds until the next one.
 * Empty if nothing was reported or read.
 */
struct ReportedCurve {
  std::vector<double> seconds;  ///< session time of each trial at which the value changed, ascending
  std::vector<double> trials;   ///< trials made by then, ascending
  std::vector<double> values;   ///< from this point on

  bool empty() const { return values.empty(); }  ///< true without any value
  bool operator==(const ReportedCurve&) const = default;
};

/** A value that a tuner reported, by its trial's number. */
struct ReportedValue {
  std::int64_t trial = 0;
  double value = 0;
};

/**
 * Returns the curve of reported values.
 * @param trials in order of arrival; the times of steps never decrease
 * @param values values of trials that do not exist are ignored
 */
ReportedCurve reported_curve(const trial::Snapshot& trials, const std::vector<ReportedValue>& values);

/** The x axis of a curve. */
enum class CompareAxis : std::uint8_t { Seconds, Trials };

/** A task of a comparison. */
struct ComparedTask {
  std::string name;
  double optimum = 0;           ///< performance of the best member, or the best that any run found
  bool optimum_known = false;   ///< the space is complete: `optimum` is its optimum
  bool floating_flops = false;  ///< performance is in GFLOP/s, else in calls per second
  /**
   * Performance of every member, 0 for failures, in any order: the population of a random search. Empty if
   * the space is not recorded.
   */
  std::vector<double> members;
  bool measured = false;  ///< kernels were measured, not replayed
  /**
   * Median relative interquartile range of the samples of members near the optimum, times 1.25 over the
   * square root of the samples: approximately the relative standard error of a median. 0: not known.
   */
  double noise = 0;
};

/** The value of ComparedArm::random_phase for a tuner that never learns. */
constexpr std::int64_t all_trials_random_phase = INT64_MAX;

/** A tuner with its settings. */
struct ComparedArm {
  std::string name;        ///< "nose", "ga (population=50)"
  std::string settings;    ///< settings that differ from the defaults; empty: none
  std::int64_t batch = 0;  ///< candidates proposed at a time; 0: the tuner's default
  /** Added automatically to show the effect of the batch size; compared like other arms. */
  bool control = false;
  /** Number of first trials that are drawn before a learnt model decides; 0: none. */
  std::int64_t random_phase = 0;
};

/** One session of a comparison. */
struct ComparedRun {
  std::size_t arm = 0;
  std::size_t task = 0;
  int repeat = 0;
  std::int64_t session = 0;
  std::uint64_t seed = 0;
  /** Reached its budget or the end of its space; else it is running or was interrupted. */
  bool finished = false;
  std::string error;  ///< why it failed; empty: no error
  BestCurve curve;
  /** Share of valid offspring among those that its tuner drew (Heron, figures 2 and 12). */
  ReportedCurve member_share;
  TimeSplit time;
  ErrorBreakdown errors;
  /** Performance of its best kernel, measured again at the end; 0: it was not. */
  double confirmed = 0;
};

/** Runs to compare, as values: the only input of all comparison functions. */
struct ComparedRuns {
  std::string title;
  std::vector<ComparedArm> arms;
  std::vector<ComparedTask> tasks;
  std::vector<ComparedRun> runs;
  std::size_t planned_runs = 0;  ///< number in the study; runs.size() if nothing is planned
  /** All runs of a repeat on a task share a seed, whatever the arm: they are compared in pairs. */
  bool paired_starts = false;
};

}  // namespace kernelscape::analysis
