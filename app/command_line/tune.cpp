#include <fmt/format.h>

#include <memory>

#include "app/command_line/command.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/tuning_run.h"

namespace kernelscape {
namespace {

Result<int> run_tune(const TuningOptions& options) {
  Store store = TRY(open_store(options.database, OpenMode::ReadWrite));
  PreparedTuning tuning = TRY(prepare_tuning(options, store));
  return run_tuning(store, {std::move(tuning), std::nullopt, options.json});
}

}  // namespace

Command add_tune_command(CLI::App& program) {
  auto options = std::make_shared<TuningOptions>();
  CLI::App* app = program.add_subcommand("tune", "Search for the fastest kernel of a task");
  add_task_options(*app, *options);
  app->add_option("--tuner", options->request.tuner,
                  fmt::format("See `kernelscape tuners` (default: {})", default_tuner))
      ->type_name("NAME");
  app->add_option("--set", options->settings, "A hyperparameter of the tuner, any number of times")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app->add_option("--warm-start", options->request.warm_start, "Begin with the trials of another session")
      ->type_name("SESSION");
  add_trials_option(*app, options->request.budget);
  add_minutes_option(*app, options->request.budget);
  add_quality_options(*app, options->request.budget);
  add_measuring_options(*app, *options);
  add_search_time_option(*app, options->request.measuring);
  return {app, [options] { return run_tune(*options); }};
}

}  // namespace kernelscape
