#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/measure/kernel_family.h"
#include "core/session/session.h"

namespace kernelscape {

/** What `tune` and `sweep` are asked for. */
struct TuningOptions {
  std::string task;
  std::string target = "cpu";
  std::string template_name;
  std::string tuner = "nose";
  Budget budget;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> settings;  ///< "name=value"
  MeasureOptions measuring;
  bool respect_limits = false;
  std::string warm_start;
  std::string architecture;
  bool build_only = false;
  std::string database;
  std::string name;
  bool json = false;
};

/** TASK, target, template, seed, limits, name, database, --json. */
void add_task_options(CLI::App& command, TuningOptions& options);
/** Threads, repeats, time-outs. */
void add_measuring_options(CLI::App& command, MeasureOptions& options);
void add_trials_option(CLI::App& command, Budget& budget);
void add_minutes_option(CLI::App& command, Budget& budget);
/** Target GFLOPS and patience. */
void add_quality_options(CLI::App& command, Budget& budget);

/** A session that is ready to run on this machine. */
struct PreparedTuning {
  SessionSetup setup;
  std::shared_ptr<const ScheduleFamily> family;
};

/** Looks everything up and checks it; the errors are the user's input but for a missing compiler. */
Result<PreparedTuning> prepare_tuning(const TuningOptions& options, const Store& store);

}  // namespace kernelscape
