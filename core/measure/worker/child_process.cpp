#include "core/measure/worker/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>
#include <system_error>
#include <vector>

namespace kernelscape::measure {
namespace {

constexpr std::size_t kept_output_bytes = 64 << 10;

void limit(__rlimit_resource resource, std::uint64_t soft, std::uint64_t hard) {
  rlimit values{};
  if (getrlimit(resource, &values) != 0) return;
  values.rlim_cur = std::min<rlim_t>(soft, values.rlim_max);
  values.rlim_max = std::min<rlim_t>(hard, values.rlim_max);
  setrlimit(resource, &values);
}

/** Reads the available output; returns false at the end of the stream, or if the pipe is full. */
bool drain(PrintedPipe& pipe) {
  std::array<char, 1 << 14> buffer{};
  while (!pipe.full()) {
    const std::size_t room = std::min(buffer.size(), pipe.max_bytes - pipe.text.size());
    const ssize_t count = read(pipe.descriptor, buffer.data(), room);
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    pipe.text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return false;
}

/** Reads the available output and keeps its head; returns false at the end of the stream. */
bool drain(int descriptor, std::string& output) {
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    const std::size_t room = kept_output_bytes - std::min(kept_output_bytes, output.size());
    output.append(buffer.data(), std::min(static_cast<std::size_t>(count), room));
  }
}

/** Kills the group, and the child too in case it left the group: no other process would end it. */
void kill_group(pid_t child) {
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
}

/** Waits until the child ends or has printed too much, the deadline passes or the peer hangs up. */
ChildEnd wait_for_end(int process, int output, Deadline deadline, int hang_up, std::string& text,
                      std::span<PrintedPipe> printed) {
  std::vector<pollfd> waits{{.fd = process, .events = POLLIN, .revents = 0},
                            {.fd = output, .events = POLLIN, .revents = 0},
                            {.fd = hang_up, .events = POLLRDHUP, .revents = 0}};
  const std::size_t first_pipe = waits.size();
  for (const PrintedPipe& pipe : printed)
    waits.push_back({.fd = pipe.descriptor, .events = POLLIN, .revents = 0});
  while (true) {
    const int milliseconds = poll_milliseconds(deadline);
    const int ready = poll(waits.data(), waits.size(), milliseconds);
    if (ready > 0 && waits[1].revents != 0 && !drain(output, text)) waits[1].fd = -1;
    if (ready > 0 && waits[0].revents != 0) return ChildEnd::Exited;
    if (ready > 0 && waits[2].revents != 0) return ChildEnd::HungUp;
    for (std::size_t i = 0; ready > 0 && i < printed.size(); ++i) {
      pollfd& wait = waits[first_pipe + i];
      if (wait.revents != 0 && !drain(printed[i])) wait.fd = -1;
      if (printed[i].full()) return ChildEnd::Exited;  // the signal that kills it becomes its end
    }
    if (milliseconds == 0) return ChildEnd::TimedOut;
  }
}

/** Returns the processes of a session, without its leader. */
std::vector<pid_t> members_of_session(pid_t leader) {
  std::vector<pid_t> members;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t process = 0;
    const auto [rest, problem] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (problem != std::errc() || rest != name.data() + name.size() || process == leader) continue;
    if (getsid(process) == leader) members.push_back(process);
  }
  return members;
}

}  // namespace

void apply_limits(const ProcessLimits& limits) {
  limit(RLIMIT_CORE, 0, 0);
  if (limits.cpu_seconds > 0) {
    const auto seconds = static_cast<std::uint64_t>(std::ceil(std::min(limits.cpu_seconds, 1e9))) + 1;
    limit(RLIMIT_CPU, seconds, seconds + 2);
  }
  const auto limit_bytes = [](__rlimit_resource resource, std::uint64_t bytes) {
    if (bytes > 0) limit(resource, bytes, bytes);
  };
  limit_bytes(RLIMIT_AS, limits.address_space_bytes);
  limit_bytes(RLIMIT_FSIZE, limits.file_bytes);
  limit_bytes(RLIMIT_STACK, limits.stack_bytes);
}

void join_own_group(pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

// Called by number: glibc 2.36 declares its function without extern "C".
UniqueFd open_process(pid_t child) { return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, child, 0))); }

void kill_session(pid_t leader) {
  constexpr int passes = 4;  // a process that starts another meanwhile is found again
  for (int pass = 0; pass < passes; ++pass) {
    const std::vector<pid_t> members = members_of_session(leader);
    if (members.empty()) return;
    for (const pid_t member : members) kill(member, SIGKILL);
  }
}

ChildOutcome wait_for_child(pid_t child, int output, Deadline deadline, int hang_up,
                            std::span<PrintedPipe> printed) {
  setpgid(child, child);
  ChildOutcome outcome;
  const UniqueFd process = open_process(child);
  if (!process.valid()) {
    kill_group(child);
    waitpid(child, nullptr, 0);
    return outcome;
  }
  fcntl(output, F_SETFL, fcntl(output, F_GETFL) | O_NONBLOCK);
  for (const PrintedPipe& pipe : printed)
    fcntl(pipe.descriptor, F_SETFL, fcntl(pipe.descriptor, F_GETFL) | O_NONBLOCK);
  outcome.end = wait_for_end(process.get(), output, deadline, hang_up, outcome.output, printed);
  outcome.end_seconds = steady_seconds();
  // Until the child is reaped, it holds the number of the group.
  kill_group(child);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) continue;
  outcome.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
  drain(output, outcome.output);
  for (PrintedPipe& pipe : printed) drain(pipe);
  if (outcome.end == ChildEnd::Exited && WIFSIGNALED(status)) outcome.end = ChildEnd::Signalled;
  outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return outcome;
}

}  // namespace kernelscape::measure
