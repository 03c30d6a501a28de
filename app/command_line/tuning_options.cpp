#include "app/command_line/tuning_options.h"

#include <fmt/format.h>

#include <map>
#include <random>

#include "app/command_line/shared_options.h"
#include "core/measure/cpu_measurer.h"
#include "core/session/setup.h"
#include "core/task/catalogue.h"

namespace kernelscape {
namespace {

constexpr double most_trials = 1e12;
constexpr double most_seconds = 86'400;

/** Only a CPU is measured; the options of other targets say so instead of being ignored. */
Status check_target_options(const TuningOptions& options, const TargetDescription& target) {
  if (target.kind != TargetKind::Cpu) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("target {} can't be tuned for: only cpu is measured", target.name),
                "use --target cpu; `kernelscape space` shows the search spaces of other targets");
  }
  if (options.build_only) {
    return fail(ErrorCode::InvalidArgument, "--build-only is for targets whose device is not here; cpu is",
                "leave --build-only out");
  }
  if (!options.architecture.empty()) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("--arch {}: kernels for cpu are built for this machine's own instruction set ({})",
                    options.architecture, target.isa),
        "leave --arch out");
  }
  return {};
}

Result<SettingValues> read_settings(const TuningOptions& options) {
  const Result<const TunerDeclaration*> tuner = find_tuner(options.tuner);
  if (!tuner) return std::unexpected(tuner.error());
  std::map<std::string, std::string> texts;
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::InvalidArgument, fmt::format("--set {}: not name=value", setting),
                  fmt::format("see `kernelscape tuners {}`", options.tuner));
    }
    texts[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return parse_settings(**tuner, texts);
}

std::uint64_t draw_seed() {
  std::random_device device;
  return device();
}

Status add_warm_start(const TuningOptions& options, const Store& store, SessionSetup& setup) {
  if (options.warm_start.empty()) return {};
  const Result<SessionId> id = store.find_session(options.warm_start);
  if (!id) return std::unexpected(id.error());
  Result<WarmStart> warm = warm_start_from(store, *id, setup.space, setup.task.flops());
  if (!warm) return std::unexpected(warm.error());
  setup.history = std::move(warm->observations);
  setup.history_sources = {warm->source};
  return {};
}

Result<ScheduledKernel> apply_options(const TuningOptions& options) {
  const Result<Catalogue> catalogue = Catalogue::load_default();
  if (!catalogue) return std::unexpected(catalogue.error());
  const Result<Task> task = catalogue->find(options.task);
  if (!task) return std::unexpected(task.error());
  const Result<TargetDescription> target = resolve_target(options.target, CompilerNeed::Required);
  if (!target) return std::unexpected(target.error());
  if (const Status fitting = check_target_options(options, *target); !fitting)
    return std::unexpected(fitting.error());
  return apply_template(*task, *target, options.template_name);
}

}  // namespace

void add_task_options(CLI::App& command, TuningOptions& options) {
  command.add_option("TASK", options.task, "A catalogue name, a JSON file, or a task written out")
      ->required();
  command.add_option("--target", options.target, "What to tune for (default: cpu)")->type_name("TARGET");
  command.add_option("--template", options.template_name, "Default: the first that fits")->type_name("NAME");
  command.add_option("--seed", options.seed, "Default: drawn, printed and stored")
      ->type_name("S")
      ->check(in_range(0, 0x1p64 - 2048));
  command.add_flag("--respect-limits", options.respect_limits,
                   "Never propose what the target's limits refuse");
  command.add_option("--arch", options.architecture, "Architecture to build for (not on cpu)")
      ->type_name("A");
  command.add_flag("--build-only", options.build_only, "Build, don't run (not on cpu)");
  command.add_option("--name", options.name, "A name for the session")->type_name("NAME");
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
  const Result<SettingValues> settings = read_settings(options);
  if (!settings) return std::unexpected(settings.error());
  if (const Status sensible = check_measure_options(options.measuring); !sensible) {
    return std::unexpected(sensible.error());
  }
  Result<ScheduledKernel> kernel = apply_options(options);
  if (!kernel) return std::unexpected(kernel.error());
  const Result<SearchSpace> space =
      options.respect_limits ? kernel->space().restricted_by(kernel->limits()) : kernel->space();
  if (!space) return std::unexpected(space.error());
  SessionSetup setup{.space = *space};
  setup.name = options.name;
  setup.task = kernel->task();
  setup.target = kernel->target();
  setup.template_name = kernel->template_name();
  setup.template_version = kernel->template_version();
  setup.tuner = options.tuner;
  setup.settings = *settings;
  setup.seed = options.seed ? *options.seed : draw_seed();
  setup.budget = options.budget;
  setup.options = options.measuring;
  if (const Status warm = add_warm_start(options, store, setup); !warm) return std::unexpected(warm.error());
  return PreparedTuning{std::move(setup), std::make_shared<ScheduleFamily>(std::move(*kernel))};
}

}  // namespace kernelscape
