#include "ui/frame/quit_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <array>
#include <csignal>

namespace kernelscape::frame {
namespace {

constexpr std::array quit_signal_numbers = {SIGTERM, SIGINT, SIGHUP};

/** Read end, write end: a signal handler may do little more than write a byte. */
std::array<int, 2> pipe_ends = {-1, -1};

void on_signal(int) {
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = write(pipe_ends[1], &byte, 1);
}

bool hangup_is_ignored() {
  struct sigaction action{};
  return sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/** The handler of SIGHUP is not installed if the signal is ignored, as with nohup. */
void set_handler(void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  const bool stays = hangup_is_ignored();
  for (const int number : quit_signal_numbers) {
    if (number != SIGHUP || !stays) sigaction(number, &action, nullptr);
  }
}

}  // namespace

QuitSignals::QuitSignals(QObject* parent) : QObject(parent) {
  if (pipe2(pipe_ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  notifier_ = new QSocketNotifier(pipe_ends[0], QSocketNotifier::Read, this);
  connect(notifier_, &QSocketNotifier::activated, this, [this] {
    char byte = 0;
    while (read(pipe_ends[0], &byte, 1) == 1) {
    }
    // A second signal means that the user does not want to wait for the running trial. But a terminal that
    // closes sends SIGHUP more than once.
    std::signal(SIGHUP, SIG_IGN);
    set_handler(SIG_DFL, 0);
    emit quit_requested();
  });
  set_handler(on_signal, SA_RESTART);
}

QuitSignals::~QuitSignals() {
  if (notifier_ == nullptr) return;
  set_handler(SIG_DFL, 0);
  delete notifier_;
  for (int& end : pipe_ends) close(std::exchange(end, -1));
}

}  // namespace kernelscape::frame
