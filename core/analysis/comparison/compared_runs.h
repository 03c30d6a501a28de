#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/error_breakdown.h"
#include "core/analysis/time_split.h"

namespace kernelscape {

/**
 * Best so far as a step function: change points only, from the first valid trial on. It rises, but for
 * replays that took fewer samples than were recorded: what looked better may be slower.
 */
struct BestCurve {
  std::vector<double> seconds;      ///< session time of each improvement, ascending
  std::vector<double> trials;       ///< trials made by then, ascending
  std::vector<double> performance;  ///< from there on: GFLOP/s, or calls per second; higher is better
  double end_seconds = 0;           ///< the run's end, or now
  double end_trials = 0;

  /** 0 before the first valid trial; the last value after the run's end. */
  double at_seconds(double x) const;
  double at_trials(double x) const;  ///< the same after so many trials
  /** Performance at the end; 0 without a valid trial. */
  double best() const { return performance.empty() ? 0 : performance.back(); }
};

/**
 * Best so far of a session's trials in order of arrival. An improvement's time is never earlier than that of
 * one before it, and the end never before the last trial.
 * @param flops of the task; 0: not known, performance is calls per second
 * @param end_seconds session time of the run's end, or now
 * @param true_seconds by row, what the trial is worth where it was chosen by fewer samples; empty: its median
 */
BestCurve best_curve(const TrialSnapshot& trials, double flops, double end_seconds,
                     std::span<const double> true_seconds = {});

/**
 * What a tuner reported of its trials, as a step function: the latest value holds until the next one. Empty:
 * nothing was reported, or nobody read it.
 */
struct ReportedCurve {
  std::vector<double> seconds;  ///< session time of each trial with another value than before, ascending
  std::vector<double> trials;   ///< trials made by then, ascending
  std::vector<double> values;   ///< from there on

  bool empty() const { return values.empty(); }  ///< has no value anywhere
  bool operator==(const ReportedCurve&) const = default;
};

/** A value that a tuner reported, by its trial's number. */
struct ReportedValue {
  std::int64_t trial = 0;
  double value = 0;
};

/**
 * @param trials in order of arrival; a step's time is never earlier than that of one before it
 * @param values those of trials that are not there are left out
 */
ReportedCurve reported_curve(const TrialSnapshot& trials, const std::vector<ReportedValue>& values);

/** What a curve is drawn over. */
enum class CompareAxis : std::uint8_t { Seconds, Trials };

/** A task of a comparison. */
struct ComparedTask {
  std::string name;
  double optimum = 0;           ///< performance of the best member, or the best that any run found
  bool optimum_known = false;   ///< the space is complete: `optimum` is the best there is
  bool floating_flops = false;  ///< performance is GFLOP/s, else calls per second
  /** Performance of every member, 0 for failures, in any order: what a random search draws from. Empty where
   * the space is not recorded. */
  std::vector<double> members;
  bool measured = false;  ///< kernels were measured, not replayed
  /** Median relative interquartile range of the samples of members near the optimum, times 1.25 over the
   * square root of the samples: about the relative standard error of a median. 0: not known. */
  double noise = 0;
};

/** ComparedArm::random_phase of a tuner that never learns. */
constexpr std::int64_t all_trials_random_phase = INT64_MAX;

/** A tuner with its settings. */
struct ComparedArm {
  std::string name;        ///< "nose", "ga (population=50)"
  std::string settings;    ///< what differs from the defaults, empty: nothing
  std::int64_t batch = 0;  ///< candidates proposed at once; 0: the tuner's own
  bool control = false;    ///< added by itself to tell what the batch size does; compared like others
  /** So many first trials are drawn before anything learnt decides; 0: none. */
  std::int64_t random_phase = 0;
};

/** One session of a comparison. */
struct ComparedRun {
  std::size_t arm = 0;
  std::size_t task = 0;
  int repeat = 0;
  std::int64_t session = 0;
  std::uint64_t seed = 0;
  bool finished = false;  ///< reached its budget or its space's end; else it is running or was interrupted
  std::string error;      ///< why it failed; empty: it did not
  BestCurve curve;
  ReportedCurve member_share;  ///< of the children that its tuner drew (Heron, figures 2 and 12)
  TimeSplit time;
  ErrorBreakdown errors;
  /** Performance of its best, measured again at the end; 0: it was not. */
  double confirmed = 0;
};

/** Runs to compare, as values: all functions of a comparison take this and nothing else. */
struct ComparedRuns {
  std::string title;
  std::vector<ComparedArm> arms;
  std::vector<ComparedTask> tasks;
  std::vector<ComparedRun> runs;
  std::size_t planned_runs = 0;  ///< of the study; runs.size() where nothing is planned
  /** Runs of a repeat on a task share a seed, whatever the arm: they are compared pair by pair. */
  bool paired_starts = false;
};

}  // namespace kernelscape
