#include "app/command_line/tuning_options.h"

#include <fmt/format.h>

#include <map>

#include "app/command_line/shared_options.h"

namespace kernelscape {
namespace {

constexpr double most_trials = 1e12;
constexpr double most_seconds = 86'400;

/** The options of targets that are not measured yet say so instead of being ignored. */
Status check_target_options(const TuningOptions& options) {
  const bool recorded = is_recorded_target(options.request.target);
  if (!recorded && options.request.measuring.search_time != SearchTime{}) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("--search-time is for recorded spaces: on {} the clock is real", options.request.target),
        "leave --search-time out, or use --target recorded:FILE");
  }
  if (options.request.task.empty() && !recorded) {
    return fail(ErrorCode::InvalidArgument, "TASK is required",
                "name one, see `kernelscape tasks`; only a recorded space brings its own");
  }
  if (recorded && (options.build_only || !options.architecture.empty())) {
    return fail(ErrorCode::InvalidArgument, "a recorded space is replayed: nothing is built for it",
                "leave --build-only and --arch out");
  }
  if (options.request.target != "cpu") return {};
  if (options.build_only) {
    return fail(ErrorCode::InvalidArgument, "--build-only is for targets whose device is not here; cpu is",
                "leave --build-only out");
  }
  if (!options.architecture.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--arch {}: kernels for cpu are built for this machine's own instruction set",
                            options.architecture),
                "leave --arch out");
  }
  return {};
}

Result<std::map<std::string, std::string>> read_settings(const TuningOptions& options) {
  std::map<std::string, std::string> texts;
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::InvalidArgument, fmt::format("--set {}: not name=value", setting),
                  fmt::format("see `kernelscape tuners {}`", options.request.tuner));
    }
    texts[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return texts;
}

}  // namespace

void add_task_options(CLI::App& command, TuningOptions& options) {
  command.add_option("TASK", options.request.task,
                     "A catalogue name, a JSON file, or a task written out; a recorded space has its own");
  command
      .add_option(
          "--target", options.request.target,
          "What to tune for: cpu (default), or recorded: with a file, or with the name or number of a "
          "recorded space")
      ->type_name("TARGET");
  command.add_option("--template", options.request.template_name, "Default: the first that fits")
      ->type_name("NAME");
  command.add_option("--seed", options.request.seed, "Default: drawn, printed and stored")
      ->type_name("S")
      ->check(in_range(0, 0x1p64 - 2048));
  command.add_flag("--respect-limits", options.request.respect_limits,
                   "Never propose what the target's limits refuse");
  command
      .add_option("--restrict", options.restrictions,
                  "Allow these values of a knob only, e.g. tile_oc[3]=16,32 or unroll_kw=true")
      ->type_name("KNOB=VALUES")
      ->allow_extra_args(false);
  command.add_option("--arch", options.architecture, "Architecture to build for (not on cpu)")
      ->type_name("A");
  command.add_flag("--build-only", options.build_only, "Build, don't run (not on cpu)");
  command.add_option("--name", options.request.name, "A name for the session")->type_name("NAME");
  add_database_option(command, options.database);
  add_json_option(command, options.json);
}

void add_measuring_options(CLI::App& command, MeasureOptions& options) {
  command.add_option("--threads", options.threads, "Threads of the kernel; 0: all cores (default)")
      ->type_name("N")
      ->check(in_range(0, 4096));
  command.add_option("--repeats", options.repeats, "Timed samples per trial (default: 7)")
      ->type_name("N")
      ->check(in_range(1, 10'000));
  command
      .add_option_function<double>(
          "--min-repeat-ms",
          [&options](double milliseconds) { options.min_repeat_seconds = milliseconds * 1e-3; },
          "Each sample is at least this long (default: 20)")
      ->type_name("MS")
      ->check(in_range(0, 1e6));
  command.add_option("--build-timeout", options.build_timeout_seconds, "Seconds for a build (default: 10)")
      ->type_name("S")
      ->check(in_range(1e-3, most_seconds));
  command.add_option("--run-timeout", options.run_timeout_seconds, "Seconds for a run (default: 10)")
      ->type_name("S")
      ->check(in_range(1e-3, most_seconds));
}

void add_search_time_option(CLI::App& command, MeasureOptions& options) {
  command
      .add_option_function<std::string>(
          "--search-time",
          [&options](const std::string& text) {
            const Result<SearchTime> time = parse_search_time(text);
            if (!time) throw CLI::ValidationError("--search-time", describe(time.error()));
            options.search_time = *time;
          },
          "What the tuner's own time is on the clock of a recorded space: measured (its CPU time, default), "
          "none "
          "(repeatable), or so many seconds for each candidate")
      ->type_name("measured|none|SECONDS");
}

void add_trials_option(CLI::App& command, Budget& budget) {
  command.add_option("--trials", budget.trials, "End after so many trials; 0: no limit (default: 500)")
      ->type_name("N")
      ->check(in_range(0, most_trials));
}

void add_minutes_option(CLI::App& command, Budget& budget) {
  command.add_option("--minutes", budget.minutes, "End after so many minutes; 0: no limit (default)")
      ->type_name("M")
      ->check(in_range(0, 1e6));
}

void add_quality_options(CLI::App& command, Budget& budget) {
  command
      .add_option("--target-gflops", budget.target_gflops,
                  "End where this is reached; 0: no target (default)")
      ->type_name("G")
      ->check(in_range(0, 1e9));
  command
      .add_option("--patience", budget.patience,
                  "End after so many trials without a better one; 0: never (default)")
      ->type_name("N")
      ->check(in_range(0, most_trials));
}

Result<PreparedTuning> prepare_tuning(const TuningOptions& options, const Store& store) {
  if (const Status fitting = check_target_options(options); !fitting) return std::unexpected(fitting.error());
  Result<std::map<std::string, std::string>> settings = read_settings(options);
  if (!settings) return std::unexpected(settings.error());
  TuningRequest request = options.request;
  request.settings = std::move(*settings);
  for (const std::string& text : options.restrictions) {
    Result<KnobRestriction> restriction = parse_restriction(text);
    if (!restriction) return std::unexpected(restriction.error());
    request.restrictions.push_back(std::move(*restriction));
  }
  return prepare_tuning(request, store);
}

}  // namespace kernelscape
