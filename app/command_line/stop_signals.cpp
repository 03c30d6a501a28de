#include "app/command_line/stop_signals.h"

#include <array>
#include <csignal>

namespace kernelscape::command_line {
namespace {

constexpr std::array stop_signal_numbers = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};

session::StopRequest stop_request;

void on_signal(int number) {
  // A terminal that closes tells of it more than once, a limit on processor time every second.
  const bool once = number == SIGHUP || number == SIGXCPU;
  if (stop_request.level() == 0 || once) return stop_request.stop_gracefully();
  stop_request.stop_at_once();
  // The next signal ends a program that does not respond.
  std::signal(number, SIG_DFL);
}

bool is_ignored(int number) {
  struct sigaction action{};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

const session::StopRequest& stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : stop_signal_numbers) {
    // As nohup wants it.
    if (number == SIGHUP && is_ignored(number)) continue;
    sigaction(number, &action, nullptr);
  }
  return stop_request;
}

}  // namespace kernelscape::command_line
