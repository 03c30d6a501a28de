#include <fmt/format.h>

#include <array>
#include <csignal>
#include <system_error>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/parse_error.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/standard_output.h"
#include "app/display.h"
#include "app/window.h"
#include "core/base/memory.h"
#include "core/session/version.h"

namespace kernelscape {
namespace {

constexpr std::array add_commands = {
    add_devices_command,  add_tasks_command,  add_tuners_command, add_templates_command,
    add_space_command,    add_tune_command,   add_sweep_command,  add_resume_command,
    add_sessions_command, add_show_command,   add_delete_command, add_best_command,
    add_export_command,   add_import_command, add_report_command, add_study_command,
};

/** The commands have an option of that name of their own, not all of them. */
Error misplaced_database(const Command& command) {
  return {ErrorCode::InvalidArgument, "--db before a command is the window's",
          fmt::format("write kernelscape {} --db FILE", command.app->get_name())};
}

int report(const Error& error) {
  print_error(error);
  return exit_code_of(error);
}

int run_program(int argc, char** argv) {
  CLI::App program(
      "Kernelscape: tunes tensor programs on real hardware. Without a command it opens its window.",
      "kernelscape");
  std::string database;
  add_database_option(program, database);
  bool only_look = false;
  program.add_flag("--can-open-window", only_look, "Only look for a display: exit code 0 or 1");
  program.set_version_flag("--version", std::string(program_version));
  program.require_subcommand(0, 1);
  std::vector<Command> commands;
  for (const auto& add_command : add_commands) {
    commands.push_back(add_command(program));
    refuse_options_as_values(*commands.back().app);
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(explain_parse_error(program, error));
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    if (!database.empty()) return report(misplaced_database(command));
    const Result<int> code = guarded("kernelscape " + command.app->get_name(), command.run);
    return code ? *code : report(code.error());
  }
  if (only_look) return find_display() ? exit_done : exit_failed;
  const Result<int> code = guarded("the window", [&] { return run_window(argc, argv, database); });
  return code ? *code : report(code.error());
}

}  // namespace
}  // namespace kernelscape

namespace {

/** What standard output does not take is told by finish_standard_output(). */
int run_watched(int argc, char** argv) {
  try {
    return kernelscape::run_program(argc, argv);
  } catch (const std::system_error& error) {
    // Whoever read what a command lists has seen enough: `kernelscape tuners | head`.
    if (kernelscape::standard_output_error() != 0 || error.code() == std::errc::broken_pipe)
      return kernelscape::exit_done;
    throw;
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that has gone and a file that may not grow are errors of what writes, not the end of a session.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  kernelscape::watch_standard_output();
  return kernelscape::finish_standard_output(run_watched(argc, argv));
}
