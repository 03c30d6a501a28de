#include <csignal>
#include <cstdio>
#include <optional>
#include <sstream>

#include "app/command_line/command_line.h"
#include "app/command_line/console.h"
#include "app/command_line/standard_output.h"
#include "app/display.h"
#include "app/report.h"
#include "app/serve.h"
#include "app/window.h"
#include "core/base/last_handler.h"
#include "core/base/memory.h"

namespace kernelscape::app {
namespace {

int report(const Error& error) {
  // Printing throws if standard output cannot be written, which finish_standard_output() reports; the reader
  // of a pipe may have closed it: `kernelscape tuners | head`.
  if (error.code == ErrorCode::Internal && command_line::standard_output_ended())
    return command_line::exit_done;
  command_line::print_error(error);
  return command_line::exit_code_of(error);
}

int run_program(int argc, char** argv) {
  command_line::CommandLine command_line(run_report, run_serve);
  // Help goes through the stream that notices what standard output does not take.
  std::ostringstream help;
  const Result<std::optional<int>> answered = command_line.parse(argc, argv, help);
  std::fputs(help.str().c_str(), stdout);
  if (!answered) return report(answered.error());
  if (*answered) return **answered;
  if (const command_line::Command* command = command_line.command()) {
    const Result<int> code = base::guarded("kernelscape " + command->app->get_name(), command->run);
    return code ? *code : report(code.error());
  }
  if (command_line.only_looks_for_display())
    return find_display() ? command_line::exit_done : command_line::exit_failed;
  const Result<int> code =
      base::guarded("the window", [&] { return run_window(argc, argv, command_line.database()); });
  return code ? *code : report(code.error());
}

int run_watched(int argc, char** argv) {
  const Result<int> code =
      base::guarded("starting", [&]() -> Result<int> { return run_program(argc, argv); });
  return code ? *code : report(code.error());
}

}  // namespace
}  // namespace kernelscape::app

int main(int argc, char** argv) {
  // A reader that has gone and a file that may not grow are errors of what writes, not the end of a session.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  kernelscape::base::install_last_handler(
      "kernelscape",
      "all measured trials are stored: `kernelscape sessions` lists the sessions that `kernelscape resume` "
      "can resume; report this message if it occurs again");
  kernelscape::command_line::watch_standard_output();
  return kernelscape::command_line::finish_standard_output(kernelscape::app::run_watched(argc, argv));
}
