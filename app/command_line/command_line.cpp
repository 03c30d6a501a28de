#include "app/command_line/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "app/command_line/console.h"
#include "app/command_line/parse_error.h"
#include "app/command_line/shared_options.h"
#include "core/session/version.h"

namespace kernelscape::command_line {
namespace {

/** In the order of the help. */
std::vector<Command> add_commands(CLI::App& program, ReportWriter write_report, PageServer serve_pages) {
  return {add_devices_command(program),
          add_tasks_command(program),
          add_network_command(program),
          add_tuners_command(program),
          add_templates_command(program),
          add_space_command(program),
          add_new_kernel_command(program),
          add_tune_command(program),
          add_sweep_command(program),
          add_ask_tell_command(program),
          add_resume_command(program),
          add_sessions_command(program),
          add_show_command(program),
          add_why_command(program),
          add_delete_command(program),
          add_best_command(program),
          add_export_command(program),
          add_import_command(program),
          add_report_command(program, write_report),
          add_serve_command(program, std::move(serve_pages)),
          add_dataset_command(program),
          add_train_command(program),
          add_predictors_command(program),
          add_study_command(program),
          add_fleet_command(program, std::move(write_report))};
}

/** "--db=" is what an unset variable leaves: what stands behind it would be taken for the value. */
Status check_values(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--") || argument.find('=') + 1 != argument.size()) continue;
    const std::string_view name = argument.substr(0, argument.size() - 1);
    return fail(ErrorCode::InvalidArgument, fmt::format("{} has no value", argument),
                fmt::format("write {} VALUE, or leave it out", name));
  }
  return {};
}

}  // namespace

CommandLine::CommandLine(ReportWriter write_report, PageServer serve_pages)
    : program_("Kernelscape: tunes tensor programs on real hardware. Without a command it opens the window.",
               "kernelscape") {
  add_database_option(program_, database_);
  program_.add_flag("--can-open-window", only_looks_for_display_,
                    "Only check that a window can be opened: exit code 0 or 1");
  program_.set_version_flag("--version", std::string(session::program_version));
  program_.require_subcommand(0, 1);
  commands_ = add_commands(program_, std::move(write_report), std::move(serve_pages));
  for (const Command& command : commands_) refuse_options_as_values(*command.app);
}

Result<std::optional<int>> CommandLine::parse(int argc, const char* const* argv, std::ostream& output) {
  if (argc > 0) set_program_call({.program = argv[0]});
  TRY(check_values(std::span(argv, static_cast<std::size_t>(argc)).subspan(1)));
  try {
    program_.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return program_.exit(success, output, output);
  } catch (const CLI::ParseError& error) {
    return std::unexpected(explain_parse_error(program_, error));
  }
  set_program_call(call_of(argv[0]));
  // The commands have an option of that name of their own, not all of them.
  if (const Command* named = command(); named != nullptr && !database_.empty()) {
    return fail(ErrorCode::InvalidArgument, "--db before a command applies only to the window",
                fmt::format("write `kernelscape {} --db FILE`", named->app->get_name()));
  }
  return std::nullopt;
}

base::ProgramCall CommandLine::call_of(std::string program) const {
  std::vector<std::string> with_database;
  for (const Command& one : commands_)
    if (one.app->get_option_no_throw("--db") != nullptr) with_database.push_back(one.app->get_name());
  base::ProgramCall call{.program = std::move(program)};
  call.takes_database = [with_database](std::string_view name) {
    return std::ranges::find(with_database, name) != with_database.end();
  };
  const Command* named = command();
  const CLI::Option* option = named != nullptr ? named->app->get_option_no_throw("--db") : nullptr;
  call.database = option != nullptr && option->count() > 0 ? option->as<std::string>() : database_;
  return call;
}

const Command* CommandLine::command() const {
  const auto named =
      std::ranges::find_if(commands_, [](const Command& command) { return command.app->parsed(); });
  return named != commands_.end() ? &*named : nullptr;
}

}  // namespace kernelscape::command_line
