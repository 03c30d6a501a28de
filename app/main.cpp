#include <fmt/format.h>

#include <array>
#include <csignal>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/parse_error.h"
#include "core/session/version.h"

namespace kernelscape {
namespace {

constexpr std::array add_commands = {
    add_devices_command,  add_tasks_command, add_tuners_command, add_templates_command,
    add_space_command,    add_tune_command,  add_sweep_command,  add_resume_command,
    add_sessions_command, add_show_command,  add_delete_command, add_best_command,
};

int report(const Error& error) {
  print_error(error);
  return exit_code_of(error);
}

int run_command_line(int argc, char** argv) {
  CLI::App program("Kernelscape: tunes tensor programs on real hardware", "kernelscape");
  program.set_version_flag("--version", std::string(program_version));
  program.require_subcommand(0, 1);
  std::vector<Command> commands;
  for (const auto& add_command : add_commands) commands.push_back(add_command(program));
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(explain_parse_error(program, error));
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    const Result<int> code = command.run();
    return code ? *code : report(code.error());
  }
  fmt::print("{}", program.help());
  return exit_done;
}

}  // namespace
}  // namespace kernelscape

int main(int argc, char** argv) {
  // A reader that closes the pipe must not end a session.
  std::signal(SIGPIPE, SIG_IGN);
  return kernelscape::run_command_line(argc, argv);
}
