#include "core/measure/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include "core/measure/cpu/confined_command.h"
#include "core/measure/worker/child_process.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape::measure {
namespace {

constexpr double start_seconds = 30;
constexpr double goodbye_seconds = 0.5;
constexpr double death_seconds = 10;  // after this time, a driver holds the process, and it can't be ended

std::string start_hint(int error) {
  switch (error) {
    case ENOENT:
    case EACCES:
    case ENOEXEC:
    case ENOTDIR:
    case ELOOP:
    case ETXTBSY:
      return "reinstall kernelscape-worker, or set KERNELSCAPE_WORKER to its path";
    case EMFILE:
    case ENFILE:
      return "end other programs, or raise the limit on open files (ulimit -n)";
    case ENOMEM:
      return "free memory, then try again";
    default:
      return "end other programs, or raise the limit on processes (ulimit -u)";
  }
}

std::unexpected<Error> cannot_start(const std::string& what, int error) {
  return fail(ErrorCode::Environment,
              fmt::format("no worker process can be started: {}: {}", what, std::strerror(error)),
              start_hint(error));
}

/** Attributes and file actions of a spawn, freed by the destructor. */
struct SpawnSetup {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): these functions initialise both
  SpawnSetup() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  /**
   * Starts the process in its own session, which is also its own process group, without a terminal to which a
   * kernel could write.
   */
  void own_session_and_signals() {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  void descriptors(int output, int channel) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, channel, worker_channel_descriptor);
    posix_spawn_file_actions_addclosefrom_np(&actions, worker_channel_descriptor + 1);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

/** Returns true if one of the texts "NAME=VALUE" sets the same variable as `other`. */
bool sets_same(const std::vector<std::string>& variables, std::string_view other) {
  const std::string_view name = other.substr(0, other.find('=') + 1);
  return std::ranges::any_of(variables, [&](const std::string& one) { return one.starts_with(name); });
}

int spawn_worker(const std::string& program, WorkerRole role, const std::vector<std::string>& extra,
                 int output, int channel, pid_t& process) {
  SpawnSetup setup;
  setup.own_session_and_signals();
  setup.descriptors(output, channel);
  std::string program_text = program;
  std::string role_text(to_string(role));
  std::array<char*, 3> arguments{program_text.data(), role_text.data(), nullptr};
  std::vector<std::string> texts(extra);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (is_inherited(*entry) && !sets_same(extra, *entry)) texts.emplace_back(*entry);
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  environment.push_back(nullptr);
  return posix_spawn(&process, program.c_str(), &setup.actions, &setup.attributes, arguments.data(),
                     environment.data());
}

/** Draws a token. It only keeps frames of other processes out, so it does not need a recorded seed. */
std::uint64_t draw_token() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

Result<std::string> find_worker_program() {
  if (const char* named = std::getenv("KERNELSCAPE_WORKER"); named != nullptr && *named != '\0') {
    std::error_code error;
    if (std::filesystem::is_regular_file(named, error) && access(named, X_OK) == 0) return std::string(named);
    return fail(ErrorCode::Environment,
                fmt::format("KERNELSCAPE_WORKER is set to `{}`, which can't be executed", named),
                "set it to the path of kernelscape-worker, or unset it");
  }
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = self.parent_path() / "kernelscape-worker";
  if (!error && access(beside.c_str(), X_OK) == 0) return beside.string();
  return fail(ErrorCode::Environment, fmt::format("the worker program is missing: {}", beside.string()),
              "install kernelscape-worker beside kernelscape, or set KERNELSCAPE_WORKER to its path");
}

std::string describe(const WorkerEnd& end) {
  std::string text = fmt::format("ended with exit code {}", end.exit_code);
  if (end.signal != 0) text = "killed by " + describe_signal(end.signal);
  if (end.stopped) text = "stopped, since it did not end";
  return end.output.empty() ? text : text + ": " + end.output;
}

bool may_lack_memory(const WorkerEnd& end) {
  return !end.stopped && (end.signal == SIGKILL || end.output.find("bad_alloc") != std::string::npos);
}

std::string hint_for(const WorkerEnd& end) {
  if (end.stopped) return "check what keeps the machine busy, then try again";
  switch (end.signal) {
    case 0:
      if (may_lack_memory(end)) return "free memory, then try again";
      return "run kernelscape-worker by hand to see what is missing";
    case SIGKILL:
      return "free memory, then try again: the system's out-of-memory killer or a user ended it";
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
    case SIGQUIT:
      return "try again: a user or another program ended it";
    case SIGILL:
      return "build kernelscape on this machine: the worker was built for another processor";
    default:
      return "run kernelscape-worker by hand, or reinstall it: a library that it loads may be broken";
  }
}

WorkerProcess::WorkerProcess(WorkerRole role, std::vector<std::string> environment, pid_t process,
                             Channel channel, UniqueFd output)
    : role_(role),
      environment_(std::move(environment)),
      process_(process),
      channel_(std::move(channel)),
      output_(std::move(output)) {}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : role_(other.role_),
      environment_(std::move(other.environment_)),
      process_(std::exchange(other.process_, -1)),
      stopped_(other.stopped_),
      status_(other.status_),
      channel_(std::move(other.channel_)),
      output_(std::move(other.output_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(role_, other.role_);
  std::swap(environment_, other.environment_);
  std::swap(process_, other.process_);
  std::swap(stopped_, other.stopped_);
  std::swap(status_, other.status_);
  std::swap(channel_, other.channel_);
  std::swap(output_, other.output_);
  return *this;
}

WorkerProcess::~WorkerProcess() { stop(); }

Result<WorkerProcess> WorkerProcess::start(WorkerRole role, const std::vector<std::string>& environment) {
  const auto program = TRY(find_worker_program());
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return cannot_start("socketpair", errno);
  UniqueFd ours(sockets[0]);
  const UniqueFd theirs(sockets[1]);
  UniqueFd output(memfd_create("kernelscape-worker-output", MFD_CLOEXEC));
  if (!output.valid()) return cannot_start("memfd_create", errno);
  fcntl(output.get(), F_SETFL, O_APPEND);
  pid_t process = -1;
  const int error = spawn_worker(program, role, environment, output.get(), theirs.get(), process);
  if (error != 0) return cannot_start(program, error);
  WorkerProcess worker(role, environment, process, Channel(std::move(ours), draw_token()), std::move(output));
  // A worker that is gone already is detected when its greeting is awaited.
  (void)worker.channel_.send(Hello{}, deadline_after(start_seconds));
  return worker;
}

Status WorkerProcess::await_ready(const Interruption& interruption) {
  for (int attempt = 1;; ++attempt) {
    const auto ready = channel_.receive<Ready>(deadline_after(start_seconds), interruption);
    if (ready) return {};
    const bool lost = ready.error().problem == ChannelProblem::Closed;
    if (!lost || attempt == max_worker_attempts) return std::unexpected(not_started(ready.error(), attempt));
    *this = TRY(start(role_, environment_));
  }
}

/** Returns the error for a missing greeting. */
Error WorkerProcess::not_started(const ChannelError& problem, int attempts) {
  const std::string_view role = to_string(role_);
  Error error = problem.error;
  switch (problem.problem) {
    case ChannelProblem::Broken:
      if (error.hint.empty()) error.hint = "set KERNELSCAPE_WORKER to the path of kernelscape's own worker";
      return error;
    case ChannelProblem::Interrupted:
      return error;
    case ChannelProblem::TimedOut:
    case ChannelProblem::Closed:
      break;
  }
  const WorkerEnd how = end();
  error.hint = hint_for(how);
  error.message =
      problem.problem == ChannelProblem::TimedOut
          ? fmt::format("the {} worker did not start within {} s: {}", role, start_seconds, describe(how))
          : fmt::format("the {} worker was lost while it started, {} times: {}", role, attempts,
                        describe(how));
  return error;
}

/** Checks whether the process has ended. It is not reaped, so that no other process gets its number. */
bool WorkerProcess::has_ended() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == process_;
}

bool WorkerProcess::ends_within(double seconds) const {
  constexpr int question_milliseconds = 10;  // if no descriptor is available to wait with
  const Deadline deadline = deadline_after(seconds);
  const UniqueFd process = open_process(process_);
  while (!has_ended()) {
    const int left = poll_milliseconds(deadline);
    if (left == 0) return false;
    pollfd wait{.fd = process.get(), .events = POLLIN, .revents = 0};
    poll(&wait, 1, process.valid() ? left : std::min(left, question_milliseconds));
  }
  return true;
}

void WorkerProcess::stop() {
  if (process_ < 0) return;
  channel_.close();
  ends_within(goodbye_seconds);
  kill();
  const bool ended = ends_within(death_seconds);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
  const bool in_order = info.si_pid == process_ && info.si_code == CLD_EXITED && info.si_status == 0;
  // Its compiler is in another group, and lost the worker that would have ended it.
  if (!in_order) kill_session(process_);
  while (ended && waitpid(process_, &status_, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
}

void WorkerProcess::kill() {
  if (process_ <= 0) return;
  if (!has_ended()) stopped_ = true;
  ::kill(-process_, SIGKILL);
}

WorkerEnd WorkerProcess::end() {
  stop();
  std::array<char, max_message_bytes> buffer{};
  const ssize_t count = output_.valid() ? pread(output_.get(), buffer.data(), buffer.size(), 0) : 0;
  WorkerEnd end{.stopped = stopped_};
  if (WIFSIGNALED(status_)) {
    end.signal = WTERMSIG(status_);
  } else {
    end.exit_code = WEXITSTATUS(status_);
  }
  if (count > 0) end.output = clean_message({buffer.data(), static_cast<std::size_t>(count)});
  return end;
}

}  // namespace kernelscape::measure
