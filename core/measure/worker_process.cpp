#include "core/measure/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include "core/measure/worker/child_process.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape {
namespace {

constexpr double start_seconds = 30;
constexpr int goodbye_milliseconds = 500;

std::unexpected<Error> cannot_start(const std::string& what, int error) {
  return fail(ErrorCode::Environment,
              fmt::format("no worker process can be started: {}: {}", what, std::strerror(error)),
              "end other programs, or raise the limits on processes and open files");
}

/** Attributes and file actions of a spawn, freed at the end. */
struct SpawnSetup {
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

  void own_group_and_signals() {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
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

int spawn_worker(const std::string& program, WorkerRole role, const std::vector<std::string>& extra,
                 int output, int channel, pid_t& process) {
  SpawnSetup setup;
  setup.own_group_and_signals();
  setup.descriptors(output, channel);
  std::string program_text = program;
  std::string role_text(to_string(role));
  std::array<char*, 3> arguments{program_text.data(), role_text.data(), nullptr};
  std::vector<std::string> texts(extra);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) texts.emplace_back(*entry);
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  environment.push_back(nullptr);
  return posix_spawn(&process, program.c_str(), &setup.actions, &setup.attributes, arguments.data(),
                     environment.data());
}

/** Only keeps frames of strangers out, so it needs no seed of ours. */
std::uint64_t draw_token() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

Result<std::string> find_worker_program() {
  if (const char* named = std::getenv("KERNELSCAPE_WORKER"); named != nullptr && *named != '\0') {
    if (access(named, X_OK) == 0) return std::string(named);
    return fail(ErrorCode::Environment,
                fmt::format("KERNELSCAPE_WORKER names `{}`, which can't be executed", named),
                "let it name kernelscape-worker, or unset it");
  }
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = self.parent_path() / "kernelscape-worker";
  if (!error && access(beside.c_str(), X_OK) == 0) return beside.string();
  return fail(ErrorCode::Environment, fmt::format("the worker program is missing: {}", beside.string()),
              "install kernelscape-worker beside kernelscape, or let KERNELSCAPE_WORKER name it");
}

WorkerProcess::WorkerProcess(pid_t process, Channel channel, UniqueFd output)
    : process_(process), channel_(std::move(channel)), output_(std::move(output)) {}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      status_(other.status_),
      channel_(std::move(other.channel_)),
      output_(std::move(other.output_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(process_, other.process_);
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
  WorkerProcess worker(process, Channel(std::move(ours), draw_token()), std::move(output));
  if (auto sent = worker.channel_.send(Hello{}, deadline_after(start_seconds)); !sent) {
    return fail(ErrorCode::Environment, "a worker process ended at once: " + worker.describe_end());
  }
  return worker;
}

Status WorkerProcess::await_ready(const Interruption& interruption) {
  auto ready = channel_.receive<Ready>(deadline_after(start_seconds), interruption);
  if (ready) return {};
  if (ready.error().problem == ChannelProblem::Broken) return std::unexpected(ready.error().error);
  return fail(
      ErrorCode::Environment,
      fmt::format("a worker process does not start: {}: {}", ready.error().error.message, describe_end()),
      "run kernelscape-worker by hand to see what it lacks");
}

bool WorkerProcess::reap(bool wait) {
  if (process_ < 0) return true;
  const pid_t result = waitpid(process_, &status_, wait ? 0 : WNOHANG);
  if (result == 0) return false;
  process_ = -1;
  return true;
}

void WorkerProcess::stop() {
  if (process_ < 0) return;
  channel_.close();
  if (const UniqueFd process = open_process(process_); process.valid()) {
    pollfd wait{.fd = process.get(), .events = POLLIN, .revents = 0};
    poll(&wait, 1, goodbye_milliseconds);
  }
  kill();
  reap(true);
}

void WorkerProcess::kill() const {
  if (process_ > 0) ::kill(-process_, SIGKILL);
}

std::string WorkerProcess::describe_end() {
  stop();
  std::array<char, max_message_bytes> buffer{};
  const ssize_t count = output_.valid() ? pread(output_.get(), buffer.data(), buffer.size(), 0) : 0;
  std::string text = WIFSIGNALED(status_) ? "killed by " + describe_signal(WTERMSIG(status_))
                                          : fmt::format("ended with exit code {}", WEXITSTATUS(status_));
  if (count > 0) text += ": " + clean_message({buffer.data(), static_cast<std::size_t>(count)});
  return text;
}

}  // namespace kernelscape
