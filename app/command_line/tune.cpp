#include <fmt/format.h>

#include <memory>
#include <random>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/network_options.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/study_run.h"
#include "app/command_line/tuner_advice_text.h"
#include "app/command_line/tuning_run.h"
#include "core/study/layer_scheduler.h"
#include "core/study/model_export.h"
#include "core/study/network_run.h"

namespace kernelscape::command_line {
namespace {

struct TuneArguments {
  TuningOptions tuning;
  NetworkChoice network;
  std::string scheduler;
  std::string objective{study::to_string(study::NetworkObjective::Layers)};
};

/** How it is written that each layer has the budget for itself. */
constexpr std::string_view no_scheduler = "none";

/** Refuses options of a single task for a network. */
Status check_network_options(const CLI::App& command) {
  for (const char* name :
       {"TASK", "--restrict", "--respect-limits", "--warm-start", "--learn-from", "--arch", "--build-only",
        "--beyond-limits", "--search-time", "--target-gflops", "--keep-going"}) {
    if (command.count(name) == 0) continue;
    return fail(ErrorCode::InvalidArgument, fmt::format("--network: {} applies to a single task", name),
                fmt::format("leave {} out, or tune the layer separately", name));
  }
  return {};
}

/** Empty: each layer has the budget for itself, as the catalogue's networks had before there were schedulers.
 */
std::string scheduler_of(const CLI::App& command, const TuneArguments& arguments,
                         const task::Catalogue& catalogue) {
  if (command.count("--scheduler") > 0)
    return arguments.scheduler == no_scheduler ? std::string() : arguments.scheduler;
  const bool known = task::find_whole_network(catalogue, arguments.network.name).has_value();
  return known ? std::string() : std::string(study::to_string(study::LayerScheduler::Gradient));
}

Result<study::NetworkPlan> plan_layers(const CLI::App& command, const TuneArguments& arguments) {
  session::TuningRequest tuning = TRY(tuning_request(arguments.tuning));
  if (session::is_recorded_target(tuning.target)) {
    return fail(ErrorCode::InvalidArgument,
                "a network has many layers, but a recorded space has a single task",
                "run a study of recorded spaces: `kernelscape study --target recorded:FILE`");
  }
  const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
  study::NetworkRequest request;
  request.scheduler = scheduler_of(command, arguments, catalogue);
  request.objective = TRY(study::parse_network_objective(arguments.objective));
  request.target = tuning.target;
  request.template_name = tuning.template_name;
  request.exact = tuning.exact;
  request.tuner = tuning.tuner;
  request.settings = std::move(tuning.settings);
  request.budget = tuning.budget;
  // Minutes of all layers are not meant to end with the trials that one task has by default.
  if (!request.scheduler.empty() && request.budget.minutes > 0 && command.count("--trials") == 0)
    request.budget.trials = 0;
  request.measuring = tuning.measuring;
  request.seed = tuning.seed ? *tuning.seed : std::random_device()();
  request.name = tuning.name;
  request.model_source =
      study::model_source_of(arguments.network.name, TRY(parse_dimensions(arguments.network)));
  const task::WholeNetwork network = TRY(open_chosen_network(arguments.network));
  for (const std::string& notice : network.notices) print_note(notice);
  const schedule::TargetDescription target =
      TRY(session::resolve_target(request.target, measure::CompilerNeed::Required));
  return study::plan_network(request, network, catalogue, target);
}

Result<int> tune_network(const CLI::App& command, const TuneArguments& arguments) {
  TRY(check_network_options(command));
  const study::NetworkPlan network = TRY(plan_layers(command, arguments));
  for (const study::LeftOutLayer& layer : network.left_out)
    print_note(fmt::format("layer {} is left out: {}", layer.task, layer.reason));
  store::Store store = TRY(open_store(arguments.tuning.database, store::OpenMode::ReadWrite));
  const store::StudyId id = TRY(study::create_study(store, network.study));
  return run_stored_study(store, id, {.json = arguments.tuning.json});
}

Result<int> run_tune(const CLI::App& command, const TuneArguments& arguments) {
  if (!arguments.network.name.empty()) return tune_network(command, arguments);
  if (command.count("--scheduler") + command.count("--objective") + command.count("--dim") > 0)
    return fail(ErrorCode::InvalidArgument, "--scheduler, --objective and --dim require a network",
                "add --network NAME");
  const TuningOptions& options = arguments.tuning;
  store::Store store = TRY(open_store(options.database, store::OpenMode::ReadWrite));
  session::PreparedTuning tuning = TRY(prepare_tuning(options, store));
  return run_tuning(store, {std::move(tuning), std::nullopt, options.json});
}

}  // namespace

Command add_tune_command(CLI::App& program) {
  auto arguments = std::make_shared<TuneArguments>();
  TuningOptions& options = arguments->tuning;
  CLI::App* app =
      program.add_subcommand("tune", "Search for the fastest kernel of a task, or of a network's layers");
  add_task_options(*app, options);
  app->add_option("--network", arguments->network.name,
                  "Instead of TASK: every layer of a network: a name in the catalogue, an .onnx model, or a "
                  "saved network")
      ->type_name("NETWORK");
  add_dimension_option(*app, arguments->network);
  std::vector<std::string> schedulers = study::layer_scheduler_names();
  schedulers.emplace_back(no_scheduler);
  app->add_option("--scheduler", arguments->scheduler,
                  "Share one budget among all layers, by expected gain (gradient), in turn (round-robin) or "
                  "by FLOPs (proportional); none: each layer has the whole budget (default: gradient for a "
                  "model or a saved network, none for a network of the catalogue)")
      ->type_name("NAME")
      ->check(CLI::IsMember(schedulers));
  app->add_option(
         "--objective", arguments->objective,
         "With --scheduler gradient: a layer's gain is that of the sum of the layers (layers) or of the "
         "latency of the whole model, which is measured after rounds (latency; for an .onnx model on "
         "this machine's processor) (default: layers)")
      ->type_name("NAME")
      ->check(CLI::IsMember(study::network_objective_names()));
  app->add_option("--tuner", options.request.tuner,
                  fmt::format("See `kernelscape tuners` (default: {})", tuner::default_tuner))
      ->type_name("NAME");
  app->add_option("--set", options.settings, "A hyperparameter of the tuner; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app->add_option("--warm-start", options.request.warm_start, "Warm-start with the trials of another session")
      ->type_name("SESSION");
  app->add_option("--learn-from", options.request.learn_from,
                  "Learn from the trials of a related space: the same kernel on another device, or a similar "
                  "task; a session, a file with a recorded space, or a collection; may be repeated")
      ->type_name("SOURCE")
      ->allow_extra_args(false);
  add_trials_option(*app, options.request.budget);
  add_minutes_option(*app, options.request.budget);
  add_quality_options(*app, options.request.budget);
  add_keep_going_option(*app, options.request.budget);
  add_measuring_options(*app, options);
  add_give_up_option(*app, options);
  add_search_time_option(*app, options.request.measuring);
  app->footer(
      fmt::format("Which tuner: {}\n`kernelscape space TASK --trials N` says it for a space and a budget.",
                  advice_line(tuner::advise_tuner({}))));
  return {app, [app, arguments] { return run_tune(*app, *arguments); }};
}

}  // namespace kernelscape::command_line
