#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/session/preparation.h"

namespace kernelscape::command_line {

/** Options of measuring trials whose defaults depend on each other; nullopt means the default. */
struct MeasuringOptions {
  std::optional<int> threads;
  std::optional<double> build_timeout_seconds;
  std::optional<int> repeats;
  std::optional<double> min_repeat_milliseconds;
  std::optional<int> calls_per_sample;
  std::optional<double> run_timeout_seconds;
  std::optional<double> give_up_factor;
  std::optional<double> slow_phase_patience_seconds;
  bool adaptive = false;  ///< measure as in AdaTune's experiments
  std::optional<int> adaptive_batch;
  std::optional<double> adaptive_threshold;
  std::optional<int> adaptive_minimum;
  std::optional<trial::AdaptivePerformance> adaptive_performance;
};

/** Options of `tune` and `sweep`. */
struct TuningOptions {
  session::TuningRequest request;
  MeasuringOptions measuring;             ///< merged into the request when it is prepared
  std::vector<std::string> settings;      ///< "name=value"
  std::vector<std::string> restrictions;  ///< "tile_oc[3]=16,32"
  std::string database;
  bool json = false;
};

/** Adds TASK, target, template, seed, limits, name, database, --json. */
void add_task_options(CLI::App& command, TuningOptions& options);
/** Adds the options of projects with users' own kernels: --trust and --outside-files. */
void add_project_options(CLI::App& command, session::TuningRequest& request);
/**
 * Adds threads, repeats, time-outs and adaptive evaluator; the help shows the values of the request as
 * defaults.
 */
void add_measuring_options(CLI::App& command, TuningOptions& options);
/** Adds the option that decides when a trial is given up after its first sample. */
void add_give_up_option(CLI::App& command, TuningOptions& options);
/** Adds the option for the tuner's own time in replays. */
void add_search_time_option(CLI::App& command, trial::MeasureOptions& options);
/** Adds --trials N; 0: no limit. */
void add_trials_option(CLI::App& command, trial::Budget& budget);
/** Adds --minutes M of session time; 0: no limit. */
void add_minutes_option(CLI::App& command, trial::Budget& budget);
/** Adds --keep-going: a session whose trials all fail in the same way does not end early. */
void add_keep_going_option(CLI::App& command, trial::Budget& budget);
/** Adds target GFLOPS and patience. */
void add_quality_options(CLI::App& command, trial::Budget& budget);

/** Returns the request with all options, after checking them against each other. */
Result<session::TuningRequest> tuning_request(const TuningOptions& options);
/**
 * Looks up and checks everything that the options name. Errors are mistakes in the user's input, except for a
 * missing compiler.
 */
Result<session::PreparedTuning> prepare_tuning(const TuningOptions& options, const store::Store& store);

}  // namespace kernelscape::command_line
