#include "app/command_line/standard_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "core/base/system_error.h"

namespace kernelscape::command_line {
namespace {

std::atomic<int> first_failure{0};
std::atomic<bool> continues{false};
/** The stream that std::cout writes to, even if `stdout` is another. */
FILE* original_output = nullptr;

void note_failure(int error) {
  int none = 0;
  first_failure.compare_exchange_strong(none, error);
}

/** Another program may have made the terminal that it shares with this one non-blocking. */
void wait_until_writable() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  poll(&output, 1, -1);
}

/** Returns the number of written bytes; 0: none could be written, and errno says why. */
ssize_t write_piece(void* /*cookie*/, const char* data, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes && first_failure == 0) {
    const ssize_t count = ::write(STDOUT_FILENO, data + done, bytes - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count == 0) {
      note_failure(EIO);
    } else if (errno == EAGAIN) {
      wait_until_writable();
    } else if (errno != EINTR) {
      note_failure(errno);
    }
  }
  if (done == bytes || continues) return static_cast<ssize_t>(bytes);
  errno = first_failure;
  return 0;
}

/** Opens a descriptor on which reading and writing fail, as if it were closed. */
void take_closed_descriptors() {
  constexpr std::array wrong_ways = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is what it gets.
    [[maybe_unused]] const int taken = open("/dev/null", wrong_ways.at(static_cast<std::size_t>(number)));
  }
}

std::string failure_text(int error) {
  return error == EBADF ? "it is closed" : base::system_error_text(error);
}

}  // namespace

void watch_standard_output() {
  take_closed_descriptors();
  FILE* watched = fopencookie(nullptr, "w", {nullptr, write_piece, nullptr, nullptr});
  if (watched == nullptr) return;
  setvbuf(watched, nullptr, standard_output_is_terminal() ? _IOLBF : _IOFBF, BUFSIZ);
  original_output = std::exchange(stdout, watched);
}

void keep_going_without_output() { continues = true; }

int standard_output_error() { return first_failure; }

bool standard_output_ended() { return first_failure != 0 && !continues; }

int finish_standard_output(int code) {
  for (FILE* stream : {stdout, original_output}) {
    if (stream != nullptr && std::fflush(stream) != 0) note_failure(errno);
  }
  const int error = first_failure;
  if (error == 0 || (error == EPIPE && !continues)) return code;
  if (continues) {
    const std::string note = fmt::format(
        "kernelscape: note: standard output could not be written completely: {}\n  all results are stored: "
        "see `kernelscape sessions`\n",
        failure_text(error));
    std::fputs(note.c_str(), stderr);
    return code;
  }
  // An error of the command has been reported; it occurred before, or was caused by this failure.
  if (code != exit_done) return code;
  print_error({ErrorCode::Environment,
               fmt::format("cannot write to standard output: {}", failure_text(error)),
               "redirect it to a file on a disk with free space, or to a pipe"});
  return exit_failed;
}

}  // namespace kernelscape::command_line
