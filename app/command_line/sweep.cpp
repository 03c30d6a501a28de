#include <memory>

#include "app/command_line/command.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/tuning_run.h"

namespace kernelscape::command_line {
namespace {

struct SweepOptions {
  TuningOptions tuning;
  std::int64_t sample = 0;
};

/** A sweep is a session of the grid tuner without a trial limit, or of the random one. Nothing is given up
 * early. */
Result<int> run_sweep(SweepOptions options) {
  options.tuning.request.tuner = options.sample > 0 ? tuner::sampling_tuner : tuner::sweeping_tuner;
  options.tuning.request.budget.trials = options.sample;
  options.tuning.request.measuring.give_up_factor = 0;
  store::Store store = TRY(open_store(options.tuning.database, store::OpenMode::ReadWrite));
  session::PreparedTuning tuning = TRY(prepare_tuning(options.tuning, store));
  return run_tuning(store, {std::move(tuning), std::nullopt, options.tuning.json});
}

}  // namespace

Command add_sweep_command(CLI::App& program) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* app =
      program.add_subcommand("sweep", "Measure every configuration of a space, or a random sample");
  add_task_options(*app, options->tuning);
  app->add_option("--sample", options->sample, "Measure so many random configurations instead of all")
      ->type_name("N")
      ->check(whole_in_range(1, max_trials));
  add_minutes_option(*app, options->tuning.request.budget);
  add_keep_going_option(*app, options->tuning.request.budget);
  add_measuring_options(*app, options->tuning);
  return {app, [options] { return run_sweep(*options); }};
}

}  // namespace kernelscape::command_line
