#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "core/measure/worker/protocol.h"
#include "core/measure/worker/worker_role.h"

/**
 * A worker that dies where a test wants it to: it hands the frames of the protocol to and fro between the
 * program and a real worker, and ends itself at one of them. Frames alternate: 0 is the program's Hello, 1
 * the worker's Ready, then requests are even and replies odd.
 */
namespace kernelscape::measure_tests {

constexpr const char* proxy_folder_variable = "KERNELSCAPE_TEST_PROXY_FOLDER";
constexpr const char* proxy_fault_variable = "KERNELSCAPE_TEST_PROXY_FAULT";

/** Where and how workers of a role die. */
struct WorkerFault {
  std::string role;              ///< "run"
  int frame = 0;                 ///< at which frame
  std::string where = "before";  ///< it is handed on: "before", "half" of it, "after"
  std::string how = "kill";      ///< "kill", "exit" with code 3, "crash", "memory": as where none is left
  int times = 1;                 ///< workers of the role that die, the first ones

  std::string text() const {
    return role + " " + std::to_string(frame) + " " + where + " " + how + " " + std::to_string(times);
  }

  /** What text() gave. */
  static WorkerFault parse(const std::string& text) {
    WorkerFault fault;
    std::istringstream words(text);
    words >> fault.role >> fault.frame >> fault.where >> fault.how >> fault.times;
    return fault;
  }
};

/** The real worker's name in the proxy's folder, so that its processes can be told from others. */
inline std::string real_worker_in(const std::string& folder) { return folder + "/real-worker"; }

[[noreturn]] inline void die(const std::string& how) {
  if (how == "exit") _exit(3);
  if (how == "memory") {
    constexpr std::string_view words = "std::bad_alloc\n";
    if (write(STDERR_FILENO, words.data(), words.size()) < 0) _exit(2);
    _exit(1);
  }
  const int signal = how == "crash" ? SIGSEGV : SIGKILL;
  std::signal(SIGSEGV, SIG_DFL);
  raise(signal);
  _exit(4);
}

/** Whether this is one of the first `times` workers of its role: each leaves a file. */
inline bool is_among_first(const std::string& folder, const std::string& role, int times) {
  for (int i = 0; i < times; ++i) {
    const std::string path = folder + "/" + role + "-" + std::to_string(i);
    const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0) continue;
    close(file);
    return true;
  }
  return false;
}

inline bool read_all(int descriptor, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t done = read(descriptor, bytes, count);
    if (done <= 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

inline bool send_all(int descriptor, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t done = send(descriptor, bytes, count, MSG_NOSIGNAL);
    if (done <= 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

/** A whole frame as it came; nothing at the end of the stream. */
inline std::optional<std::string> read_frame(int descriptor) {
  constexpr std::size_t length_at = 16;
  std::string frame(measure::frame_header_bytes, '\0');
  if (!read_all(descriptor, frame.data(), frame.size())) return std::nullopt;
  std::uint64_t length = 0;
  std::memcpy(&length, frame.data() + length_at, sizeof length);
  if (length > measure::max_frame_bytes) return std::nullopt;
  frame.resize(measure::frame_header_bytes + length);
  if (!read_all(descriptor, frame.data() + measure::frame_header_bytes, length)) return std::nullopt;
  return frame;
}

/** Hands frames on until one of the ends is gone, or the fault strikes. */
inline int relay(int program, int worker, const WorkerFault& fault) {
  for (int number = 0;; ++number) {
    const int from = number % 2 == 0 ? program : worker;
    const int to = number % 2 == 0 ? worker : program;
    const auto frame = read_frame(from);
    if (!frame) return 0;
    const bool fatal = number == fault.frame;
    if (fatal && fault.where == "before") die(fault.how);
    const std::size_t bytes = fatal && fault.where == "half" ? frame->size() / 2 : frame->size();
    if (!send_all(to, frame->data(), bytes)) return 0;
    if (fatal) die(fault.how);
  }
}

/** The program that KERNELSCAPE_WORKER names, with the worker's role: a real worker where no fault is due. */
inline int run_proxy(const std::string& role) {
  const char* folder_text = std::getenv(proxy_folder_variable);
  const char* fault_text = std::getenv(proxy_fault_variable);
  const std::string folder = folder_text != nullptr ? folder_text : "";
  const WorkerFault fault = WorkerFault::parse(fault_text != nullptr ? fault_text : "");
  const std::string real = real_worker_in(folder);
  if (role != fault.role || !is_among_first(folder, role, fault.times)) {
    execl(real.c_str(), real.c_str(), role.c_str(), nullptr);
    return 127;
  }
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return 126;
  if (fork() == 0) {
    dup2(sockets[1], measure::worker_channel_descriptor);
    execl(real.c_str(), real.c_str(), role.c_str(), nullptr);
    _exit(127);
  }
  close(sockets[1]);
  return relay(measure::worker_channel_descriptor, sockets[0], fault);
}

}  // namespace kernelscape::measure_tests
