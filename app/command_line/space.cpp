#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/project_space_text.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/tuner_advice_text.h"
#include "core/base/numbers.h"
#include "core/schedule/template.h"
#include "core/session/preparation.h"
#include "core/task/catalogue.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

struct SpaceOptions {
  std::string task;
  std::string target = "cpu";
  std::string architecture;
  std::string template_name;
  std::string database;
  std::int64_t trials = trial::Budget{}.trials;  ///< of a search that a tuner is recommended for
  bool outside_files = false;
  bool json = false;
};

/** What is said of a space, a template's or a recorded one. */
struct ShownSpace {
  space::SearchSpace space;
  task::Task task;
  std::string target;
  std::string template_name;  ///< empty: another program's
  int template_version = 0;
  space::ConstraintSystem limits;
  /// the feasible configurations within the device limits; nullopt if the limits are not known
  std::optional<space::SearchSpace> limited = {};
};

/** Returns the number of feasible configurations within the limits, if limits and number are known. */
std::optional<base::uint128> limited_count(const ShownSpace& shown) {
  return shown.limited ? shown.limited->member_count(session::limited_count_effort) : std::nullopt;
}

/** Returns a number of configurations as text. */
std::string count_text(const std::optional<base::uint128>& count) {
  return count ? base::with_thousands(base::to_string(*count)) : "unknown without enumerating the space";
}

std::vector<std::string> describe_all(const space::ConstraintSystem& system) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < system.constraints().size(); ++i) texts.push_back(system.describe(i));
  return texts;
}

void print_space_json(const ShownSpace& shown, std::int64_t trials) {
  const space::SearchSpace& space = shown.space;
  const std::optional<base::uint128> members = space.member_count();
  const std::optional<base::uint128> limited = limited_count(shown);
  json object = {{"task", shown.task.name},
                 {"template", shown.template_name},
                 {"target", shown.target},
                 {"size", base::to_string(space.size())},
                 {"members", members ? json(base::to_string(*members)) : json()},
                 {"members_within_limits", limited ? json(base::to_string(*limited)) : json()},
                 {"knobs", json::array()},
                 {"constraints", describe_all(space.constraints())},
                 {"limits", describe_all(shown.limits)},
                 {"tuner_advice", advice_fields(tuner::advise_tuner(facts_of(space, members, trials)))}};
  for (const space::Knob& knob : space.knobs()) {
    object["knobs"].push_back(
        {{"name", knob.name()}, {"kind", space::to_string(knob.kind())}, {"count", knob.count()}});
  }
  print_json_line(object);
}

std::string knob_values(const space::Knob& knob) {
  constexpr std::uint32_t most = 8;
  std::string text;
  for (std::uint32_t index = 0; index < std::min(knob.count(), most); ++index) {
    text += (index == 0 ? "" : " ") + knob.describe(index);
  }
  return knob.count() > most ? text + " ..." : text;
}

void print_list(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  print("\n{}:\n", title);
  for (const std::string& line : lines) print("  {}\n", line);
}

void print_space(const ShownSpace& shown, std::int64_t trials) {
  const space::SearchSpace& space = shown.space;
  const std::optional<base::uint128> members = space.member_count();
  print("task      {} ({})\n", shown.task.name, shown.task.text);
  if (shown.template_name.empty()) {
    print("template  none, target {}\n", shown.target);
  } else {
    print("template  {} version {}, target {}\n", shown.template_name, shown.template_version, shown.target);
  }
  print("size      {} configurations\n", base::with_thousands(base::to_string(space.size())));
  print("feasible  {}\n", count_text(members));
  if (shown.limited) print("limited   {} within the device limits\n", count_text(limited_count(shown)));
  print("\n");
  TextTable table({"knob", "kind", "values", ""});
  for (const space::Knob& knob : space.knobs()) {
    table.add({knob.name(), space::to_string(knob.kind()), std::to_string(knob.count()), knob_values(knob)});
  }
  print(table.text());
  print_list("constraints on feasible configurations", describe_all(space.constraints()));
  print_list("device limits (a trial that exceeds them is an INSTANTIATION_ERROR)",
             describe_all(shown.limits));
  print("\ntuner     {}\n", advice_line(tuner::advise_tuner(facts_of(space, members, trials))));
}

Result<ShownSpace> template_space(const SpaceOptions& options) {
  if (options.task.empty()) {
    return fail(ErrorCode::InvalidArgument, "TASK is required",
                "name a task, see `kernelscape tasks`; only a recorded space has its own");
  }
  const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
  const task::Task task = TRY(catalogue.find(options.task));
  const schedule::TargetDescription target =
      TRY(session::resolve_target(options.target, measure::CompilerNeed::Optional, options.architecture));
  const schedule::ScheduledKernel kernel = TRY(schedule::apply_template(task, target, options.template_name));
  return ShownSpace{kernel.space(),
                    kernel.task(),
                    kernel.target().name,
                    kernel.template_name(),
                    kernel.template_version(),
                    kernel.limits(),
                    TRY(kernel.space().restricted_by(kernel.limits()))};
}

Result<ShownSpace> recorded_space(const SpaceOptions& options) {
  const store::Store store = TRY(open_store(options.database));
  session::TuningRequest request;
  request.task = options.task;
  request.target = options.target;
  request.architecture = options.architecture;
  request.template_name = options.template_name;
  const session::PreparedTuning tuning = TRY(session::prepare_tuning(request, store));
  const session::Setup& setup = tuning.setup;
  ShownSpace shown{setup.space, setup.task, options.target, setup.template_name, setup.template_version, {}};
  request.respect_limits = true;
  // The limits of another program's space are not known.
  if (const auto limited = session::prepare_tuning(request, store)) shown.limited = limited->setup.space;
  return shown;
}

Result<int> run_space(const SpaceOptions& options) {
  if (const std::optional<Result<project::KernelProject>> project =
          project_named(options.task, options.outside_files)) {
    if (!*project) return std::unexpected(project->error());
    return print_project(**project, options.trials, options.json);
  }
  const ShownSpace shown =
      TRY(session::is_recorded_target(options.target) ? recorded_space(options) : template_space(options));
  options.json ? print_space_json(shown, options.trials) : print_space(shown, options.trials);
  return exit_done;
}

}  // namespace

Command add_space_command(CLI::App& program) {
  auto options = std::make_shared<SpaceOptions>();
  CLI::App* app =
      program.add_subcommand("space", "The search space of a template for a task, or of your own kernel");
  app->add_option(
      "TASK", options->task,
      "A catalogue name, a JSON file, the text of a task (either with an epilogue: resnet18/C6+bias+relu), "
      "or a project of your own kernel; a "
      "recorded space has its own task");
  app->add_option("--target", options->target,
                  "cpu (default), cuda, cuda:0, opencl:0, or recorded: with a file or a name")
      ->type_name("TARGET");
  add_architecture_option(*app, options->architecture);
  app->add_option("--template", options->template_name, "Default: the first template that fits")
      ->type_name("NAME");
  app->add_option(
         "--trials", options->trials,
         fmt::format("Budget of the search for which a tuner is recommended; 0: no limit (default: {})",
                     options->trials))
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  add_outside_files_option(*app, options->outside_files);
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_space(*options); }};
}

}  // namespace kernelscape::command_line
