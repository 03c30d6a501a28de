#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/session/preparation.h"

namespace kernelscape {

/** How trials are measured, as far as defaults depend on each other: empty is the default. */
struct MeasuringOptions {
  std::optional<int> threads;
  std::optional<double> build_timeout_seconds;
  std::optional<int> repeats;
  std::optional<double> min_repeat_milliseconds;
  std::optional<int> calls_per_sample;
  std::optional<double> run_timeout_seconds;
  std::optional<double> give_up_factor;
  bool adaptive = false;  ///< as AdaTune's experiments measure
  std::optional<int> adaptive_batch;
  std::optional<double> adaptive_threshold;
  std::optional<int> adaptive_minimum;
  std::optional<AdaptivePerformance> adaptive_performance;
};

/** What `tune` and `sweep` are asked for. */
struct TuningOptions {
  TuningRequest request;
  MeasuringOptions measuring;             ///< goes into the request when it is prepared
  std::vector<std::string> settings;      ///< "name=value"
  std::vector<std::string> restrictions;  ///< "tile_oc[3]=16,32"
  std::string database;
  bool json = false;
};

/** TASK, target, template, seed, limits, name, database, --json. */
void add_task_options(CLI::App& command, TuningOptions& options);
/** Of projects of users' own kernels: --trust and --outside-files. */
void add_project_options(CLI::App& command, TuningRequest& request);
/** Threads, repeats, time-outs, adaptive evaluator; what the request measures by is told as the default. */
void add_measuring_options(CLI::App& command, TuningOptions& options);
/** When a trial is given up after its first sample. */
void add_give_up_option(CLI::App& command, TuningOptions& options);
/** The tuner's own time in replays. */
void add_search_time_option(CLI::App& command, MeasureOptions& options);
/** --trials N; 0: no limit. */
void add_trials_option(CLI::App& command, Budget& budget);
/** --minutes M of session time; 0: no limit. */
void add_minutes_option(CLI::App& command, Budget& budget);
/** --keep-going: a session of which all trials fail in the same way does not end early. */
void add_keep_going_option(CLI::App& command, Budget& budget);
/** Target GFLOPS and patience. */
void add_quality_options(CLI::App& command, Budget& budget);

/** The request with all that the options say, once they were checked against each other. */
Result<TuningRequest> tuning_request(const TuningOptions& options);
/** Looks everything up and checks it; the errors are the user's input but for a missing compiler. */
Result<PreparedTuning> prepare_tuning(const TuningOptions& options, const Store& store);

}  // namespace kernelscape
