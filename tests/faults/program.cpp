#include "tests/faults/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace kernelscape::faults {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds poll_interval{2};

/** A process may end while its file is read: then there is no text. */
std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/** proc(5): "pid (name) state ppid pgrp session ...". The name may hold spaces and parentheses. */
bool lives_in(pid_t process, pid_t session) {
  const std::string text = text_of("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream fields(text.substr(name_end + 1));
  char state = '?';
  pid_t parent = 0;
  pid_t group = 0;
  pid_t its_session = 0;
  fields >> state >> parent >> group >> its_session;
  // Workers lead sessions of their own, so that no kernel reaches the terminal.
  return fields && state != 'Z' && state != 'X' && (its_session == session || parent == session);
}

[[noreturn]] void become(const fs::path& folder, std::vector<std::string> arguments,
                         std::uint64_t max_file_bytes) {
  setsid();
  const std::string output = (folder / "output.txt").string();
  const std::string error = (folder / "error.txt").string();
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(open(error.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  if (max_file_bytes > 0) {
    const rlimit limit{max_file_bytes, max_file_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  arguments.insert(arguments.begin(), KERNELSCAPE_BINARY_DIR "/bin/kernelscape");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  _exit(127);
}

}  // namespace

Program::Program(const fs::path& folder, const std::vector<std::string>& arguments,
                 std::uint64_t max_file_bytes)
    : folder_(folder) {
  for (const char* const name : {"output.txt", "error.txt"}) fs::remove(folder / name);
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ == 0) become(folder, arguments, max_file_bytes);
}

Program::~Program() {
  for (const pid_t other : others()) kill(other, SIGKILL);
  if (!reaped_) {
    send(SIGKILL);
    waitpid(process_, &status_, 0);
  }
}

bool Program::ended_within(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!reaped_) {
    reaped_ = waitpid(process_, &status_, WNOHANG) == process_;
    if (reaped_ || std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(poll_interval);
  }
  return reaped_;
}

void Program::send(int signal) const {
  if (!reaped_) kill(process_, signal);
}

std::vector<pid_t> Program::others() const {
  std::vector<pid_t> found;
  std::error_code gone;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename().string();
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc{} || end != name.data() + name.size() || process == process_) continue;
    if (lives_in(process, process_)) found.push_back(process);
  }
  return found;
}

std::vector<pid_t> Program::workers() const {
  std::vector<pid_t> found = others();
  std::erase_if(found, [](pid_t process) { return !is_worker(process); });
  return found;
}

bool is_worker(pid_t process) {
  return text_of("/proc/" + std::to_string(process) + "/comm").starts_with("kernelscape-wo");
}

Ended Program::wait(std::chrono::seconds most) {
  Ended ended;
  ended.late = !ended_within(most);
  if (ended.late) {
    send(SIGKILL);
    waitpid(process_, &status_, 0);
    reaped_ = true;
  }
  if (WIFEXITED(status_)) ended.code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) ended.signal = WTERMSIG(status_);
  ended.output = text_of(folder_ / "output.txt");
  ended.error = text_of(folder_ / "error.txt");
  return ended;
}

std::unexpected<Error> broken(std::string what) { return fail(ErrorCode::Corrupt, std::move(what)); }

std::unexpected<Error> wrong_end(std::string_view command, const Ended& ended) {
  return broken(fmt::format("{} ended with code {}, signal {}{}: {}{}", command, ended.code, ended.signal,
                            ended.late ? " (too late)" : "", ended.error, ended.output));
}

Ended run(const fs::path& folder, const std::vector<std::string>& arguments, std::uint64_t max_file_bytes) {
  return Program(folder, arguments, max_file_bytes).wait(longest_run);
}

}  // namespace kernelscape::faults
