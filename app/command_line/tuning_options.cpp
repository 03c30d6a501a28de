#include "app/command_line/tuning_options.h"

#include <fmt/format.h>

#include <map>

#include "app/command_line/shared_options.h"
#include "core/base/media/shell_script.h"
#include "core/fleet/target.h"

namespace kernelscape::command_line {
namespace {

constexpr double max_seconds = 86'400;

/** The option that says how kernels are built and timed, which a replay can't have otherwise; empty: none
 * does.
 */
std::string_view measuring_option(const MeasuringOptions& measuring) {
  if (measuring.threads) return "--threads";
  if (measuring.min_repeat_milliseconds) return "--min-repeat-ms";
  if (measuring.calls_per_sample) return "--calls-per-sample";
  if (measuring.build_timeout_seconds) return "--build-timeout";
  if (measuring.slow_phase_patience_seconds) return "--slow-phase-patience";
  return measuring.run_timeout_seconds ? "--run-timeout" : "";
}

/** Refuses options that have no effect for the target, instead of ignoring them. */
Status check_target_options(const TuningOptions& options) {
  const bool recorded = session::is_recorded_target(options.request.target);
  if (!recorded && options.request.measuring.search_time != trial::SearchTime{}) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("--search-time is for recorded spaces: on {} the clock is real", options.request.target),
        "leave --search-time out, or use --target recorded:FILE");
  }
  if (recorded && options.request.measuring.beyond_limits) {
    return fail(ErrorCode::InvalidArgument,
                "--beyond-limits: a recorded space is replayed, so nothing is built",
                "leave --beyond-limits out");
  }
  if (recorded && (options.request.measuring.build_only || !options.request.architecture.empty())) {
    return fail(ErrorCode::InvalidArgument, "a recorded space is replayed, so nothing is built",
                "leave --build-only and --arch out");
  }
  if (const std::string_view unused = measuring_option(options.measuring); recorded && !unused.empty()) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{}: a recorded space is replayed, so its kernels are not built or run again", unused),
        fmt::format("leave {} out", unused));
  }
  const bool on_gpu =
      !recorded && !fleet::is_fleet_target(options.request.target) && options.request.target != "cpu";
  if (on_gpu && options.measuring.threads) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("--threads applies to kernels for the CPU, but the target is {}", options.request.target),
        "leave --threads out");
  }
  return {};
}

void add_adaptive_options(CLI::App& command, MeasuringOptions& measuring) {
  command.add_flag("--adaptive", measuring.adaptive,
                   "End a trial's samples as soon as its performance is known, as in AdaTune: micro-batches "
                   "of 50 of at most 500 single calls, run time-out 100, unless other options say otherwise");
  command
      .add_option(
          "--adaptive-batch", measuring.adaptive_batch,
          "As --adaptive, but with the usual samples, in micro-batches of this size (with --adaptive: 50)")
      ->type_name("N")
      ->check(whole_in_range(1, 10'000));
  command
      .add_option(
          "--adaptive-threshold", measuring.adaptive_threshold,
          "The performance is known when std / mean over the micro-batches is below this (default: 0.1)")
      ->type_name("X")
      ->check(in_range(1e-4, 100));
  command
      .add_option("--adaptive-minimum", measuring.adaptive_minimum,
                  "Minimum number of micro-batches before that test (default: 3)")
      ->type_name("N")
      ->check(whole_in_range(2, 10'000));
  command
      .add_option_function<std::string>(
          "--adaptive-performance",
          [&measuring](const std::string& text) {
            const Result<trial::AdaptivePerformance> performance = trial::parse_adaptive_performance(text);
            if (!performance)
              throw CLI::ValidationError("--adaptive-performance", describe(performance.error()));
            measuring.adaptive_performance = *performance;
          },
          "Performance that is tested: since the first sample (cumulative, default) or of each micro-batch "
          "alone")
      ->type_name("cumulative|micro-batch");
}

/** Returns an option of the adaptive evaluator that is given without enabling it; empty: none. */
std::string_view lonely_adaptive_option(const MeasuringOptions& measuring) {
  if (measuring.adaptive || measuring.adaptive_batch) return {};
  if (measuring.adaptive_threshold) return "--adaptive-threshold";
  if (measuring.adaptive_minimum) return "--adaptive-minimum";
  return measuring.adaptive_performance ? "--adaptive-performance" : "";
}

Status check_adaptive(const TuningOptions& options) {
  if (const std::string_view lonely = lonely_adaptive_option(options.measuring); !lonely.empty()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: there is no adaptive evaluator to set", lonely),
                "add --adaptive, or --adaptive-batch N");
  }
  return {};
}

/** A replay takes fewer of the recorded samples where an option says how many. */
void take_sampling(const MeasuringOptions& measuring, trial::MeasureOptions& options) {
  const bool adaptive = measuring.adaptive || measuring.adaptive_batch;
  if (!measuring.repeats && !adaptive && !measuring.give_up_factor) return;
  options.replay_samples = true;
  if (!measuring.repeats) options.repeats = trial::max_repeats;  // all that were recorded
  if (!measuring.give_up_factor) options.give_up_factor = 0;
}

void take_measuring(const MeasuringOptions& measuring, trial::MeasureOptions& options) {
  constexpr double seconds_per_millisecond = 1e-3;
  if (measuring.adaptive) {
    options.repeats = trial::adatune_measuring.repeats;
    options.min_repeat_seconds = trial::adatune_measuring.min_repeat_seconds;
    options.run_timeout_seconds = trial::adatune_measuring.run_timeout_seconds;
    options.adaptive_batch = trial::adatune_measuring.adaptive_batch;
  }
  options.threads = measuring.threads.value_or(options.threads);
  options.build_timeout_seconds = measuring.build_timeout_seconds.value_or(options.build_timeout_seconds);
  options.repeats = measuring.repeats.value_or(options.repeats);
  if (measuring.min_repeat_milliseconds)
    options.min_repeat_seconds = *measuring.min_repeat_milliseconds * seconds_per_millisecond;
  options.calls_per_sample = measuring.calls_per_sample.value_or(options.calls_per_sample);
  options.run_timeout_seconds = measuring.run_timeout_seconds.value_or(options.run_timeout_seconds);
  options.give_up_factor = measuring.give_up_factor.value_or(options.give_up_factor);
  options.slow_phase_patience_seconds =
      measuring.slow_phase_patience_seconds.value_or(options.slow_phase_patience_seconds);
  options.adaptive_batch = measuring.adaptive_batch.value_or(options.adaptive_batch);
  options.adaptive_threshold = measuring.adaptive_threshold.value_or(options.adaptive_threshold);
  options.adaptive_minimum = measuring.adaptive_minimum.value_or(options.adaptive_minimum);
  options.adaptive_performance = measuring.adaptive_performance.value_or(options.adaptive_performance);
}

Result<std::map<std::string, std::string>> read_settings(const TuningOptions& options) {
  std::map<std::string, std::string> texts;
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(
          ErrorCode::InvalidArgument, fmt::format("--set {}: not name=value", setting),
          fmt::format("see `kernelscape tuners {}`", base::ShellScript::escaped(options.request.tuner)));
    }
    texts[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return texts;
}

}  // namespace

void add_task_options(CLI::App& command, TuningOptions& options) {
  command.add_option(
      "TASK", options.request.task,
      "A catalogue name, a JSON file, the text of a task (either with an epilogue: resnet18/C6+bias+relu), "
      "or a project of your own kernel; a "
      "recorded space has its own task");
  command
      .add_option(
          "--target", options.request.target,
          "Target: cpu (default), a GPU such as cuda:0 or opencl:0 (see `kernelscape devices`), "
          "fleet: with the address of a Redis server and a device class (see `kernelscape fleet`), or "
          "recorded: with a file, or with the name or number of a recorded space")
      ->type_name("TARGET");
  command
      .add_option("--template", options.request.template_name,
                  "Default: Winograd's algorithm if it is estimated to be clearly faster, otherwise the "
                  "first template that fits")
      ->type_name("NAME");
  command.add_option("--seed", options.request.seed, "Seed (default: random, printed and stored)")
      ->type_name("S")
      ->check(whole_in_range(0, largest_seed));
  command.add_flag("--exact", options.request.exact,
                   "Leave out templates with rounding errors of their own (Winograd's algorithm)");
  command.add_flag_function(
      "--respect-limits,!--no-respect-limits",
      [&options](std::int64_t flag) { options.request.respect_limits = flag > 0; },
      "Enforce the device limits: never propose configurations that exceed them (default: heron and the "
      "tuners it is compared with enforce them, others do not)");
  command.add_flag("--beyond-limits", options.request.measuring.beyond_limits,
                   "For cpu: also build and run configurations that a template's limits refuse, however "
                   "slow, within the time-outs");
  command
      .add_option("--restrict", options.restrictions,
                  "Allow only these values of a knob, e.g. tile_oc[3]=16,32 or unroll_kw=true")
      ->type_name("KNOB=VALUES")
      ->allow_extra_args(false);
  add_architecture_option(command, options.request.architecture);
  command.add_flag(
      "--build-only", options.request.measuring.build_only,
      "Build GPU kernels without running them: reports failures, registers, spills, shared memory");
  add_project_options(command, options.request);
  command.add_option("--name", options.request.name, "A name for the session")->type_name("NAME");
  add_database_option(command, options.database);
  add_json_option(command, options.json);
}

void add_project_options(CLI::App& command, session::TuningRequest& request) {
  command.add_flag("--trust", request.trust,
                   "For a project: allow this content to be compiled and run, now and later; read it first");
  add_outside_files_option(command, request.outside_files);
}

void add_measuring_options(CLI::App& command, TuningOptions& options) {
  constexpr double milliseconds_per_second = 1e3;
  MeasuringOptions& measuring = options.measuring;
  const trial::MeasureOptions& usual = options.request.measuring;
  command.add_option("--threads", measuring.threads, "Threads of a kernel for cpu; 0: all cores (default)")
      ->type_name("N")
      ->check(whole_in_range(0, 4096));
  command
      .add_option(
          "--repeats", measuring.repeats,
          fmt::format(
              "Timed samples per trial (default: {}); for a recorded space the first of the recorded samples",
              usual.repeats))
      ->type_name("N")
      ->check(whole_in_range(1, 10'000));
  command
      .add_option("--min-repeat-ms", measuring.min_repeat_milliseconds,
                  fmt::format("Each sample is at least this long (default: {})",
                              usual.min_repeat_seconds * milliseconds_per_second))
      ->type_name("MS")
      ->check(in_range(0, 1e6));
  command
      .add_option("--calls-per-sample", measuring.calls_per_sample,
                  "Each sample is the mean of exactly this number of calls, timed together; 0: as many calls "
                  "as last --min-repeat-ms (default)")
      ->type_name("N")
      ->check(whole_in_range(0, trial::max_calls_per_sample));
  command.add_option("--build-timeout", measuring.build_timeout_seconds, "Seconds for a build (default: 10)")
      ->type_name("S")
      ->check(in_range(1e-3, max_seconds));
  command.add_option("--run-timeout", measuring.run_timeout_seconds, "Seconds for a run (default: 10)")
      ->type_name("S")
      ->check(in_range(1e-3, max_seconds));
  command
      .add_option("--slow-phase-patience", measuring.slow_phase_patience_seconds,
                  fmt::format("Seconds to wait, in all, for a machine that became slow, before kernels are "
                              "measured on it anyway; 0: never wait (default: {})",
                              usual.slow_phase_patience_seconds))
      ->type_name("S")
      ->check(in_range(0, max_seconds));
  add_adaptive_options(command, measuring);
}

void add_give_up_option(CLI::App& command, TuningOptions& options) {
  command
      .add_option("--give-up", options.measuring.give_up_factor,
                  "End a trial if its first sample exceeds this multiple of the best median; 0: never "
                  "(default: 5, for a recorded space 0)")
      ->type_name("X")
      ->check(in_range(0, 1e6));
}

void add_search_time_option(CLI::App& command, trial::MeasureOptions& options) {
  command
      .add_option_function<std::string>(
          "--search-time",
          [&options](const std::string& text) {
            const Result<trial::SearchTime> time = trial::parse_search_time(text);
            if (!time) throw CLI::ValidationError("--search-time", describe(time.error()));
            options.search_time = *time;
          },
          "Tuner's own time on the clock of a recorded space: measured (its CPU time, default), none "
          "(repeatable), or a number of seconds per candidate")
      ->type_name("measured|none|SECONDS");
}

void add_trials_option(CLI::App& command, trial::Budget& budget) {
  command
      .add_option("--trials", budget.trials, "End after this number of trials; 0: no limit (default: 500)")
      ->type_name("N")
      ->check(whole_in_range(0, max_trials));
}

void add_minutes_option(CLI::App& command, trial::Budget& budget) {
  command.add_option("--minutes", budget.minutes, "End after this number of minutes; 0: no limit (default)")
      ->type_name("M")
      ->check(in_range(0, 1e6));
}

void add_keep_going_option(CLI::App& command, trial::Budget& budget) {
  command.add_flag_callback(
      "--keep-going", [&budget] { budget.identical_failures = 0; },
      fmt::format("Do not end after {} configurations and a whole batch that failed in the same way",
                  trial::default_identical_failures));
}

void add_quality_options(CLI::App& command, trial::Budget& budget) {
  command
      .add_option("--target-gflops", budget.target_gflops,
                  "End when this performance is reached; 0: no target (default)")
      ->type_name("G")
      ->check(in_range(0, 1e9));
  command
      .add_option("--patience", budget.patience,
                  "End after this number of trials without a better one; 0: never (default)")
      ->type_name("N")
      ->check(whole_in_range(0, max_trials));
}

Result<session::TuningRequest> tuning_request(const TuningOptions& options) {
  TRY(check_target_options(options));
  TRY(check_adaptive(options));
  std::map<std::string, std::string> settings = TRY(read_settings(options));
  session::TuningRequest request = options.request;
  request.settings = std::move(settings);
  take_measuring(options.measuring, request.measuring);
  if (session::is_recorded_target(request.target)) take_sampling(options.measuring, request.measuring);
  for (const std::string& text : options.restrictions)
    request.restrictions.push_back(TRY(session::parse_restriction(text)));
  return request;
}

Result<session::PreparedTuning> prepare_tuning(const TuningOptions& options, const store::Store& store) {
  const session::TuningRequest request = TRY(tuning_request(options));
  if (request.task.empty() && !session::is_recorded_target(request.target)) {
    return fail(ErrorCode::InvalidArgument, "TASK is required",
                "name a task, see `kernelscape tasks`; only a recorded space has its own");
  }
  return session::prepare_tuning(request, store);
}

}  // namespace kernelscape::command_line
