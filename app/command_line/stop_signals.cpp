#include "app/command_line/stop_signals.h"

#include <csignal>

namespace kernelscape {
namespace {

StopRequest stop_request;

void on_signal(int) {
  if (stop_request.level() == 0) {
    stop_request.stop_gracefully();
  } else {
    stop_request.stop_at_once();
  }
}

}  // namespace

const StopRequest& stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return stop_request;
}

}  // namespace kernelscape
