#include "tests/gpu/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/base/text.h"

namespace kernelscape::gpu_proof {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kept_bytes = 16'000;
constexpr int tick_milliseconds = 1000;
constexpr int not_started = 127;

std::atomic<bool> asked_to_stop = false;

void remember(int /*signal*/) { asked_to_stop = true; }

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/** In the child, after fork(). */
[[noreturn]] void become(const std::vector<std::string>& words, const ChildOptions& options, int output,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(not_started);
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  for (const auto& [name, value] : options.environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "%s can't be started: %s\n", arguments[0], std::strerror(errno));
  _exit(not_started);
}

/** A child and what it writes. */
class Watched {
 public:
  Watched(pid_t child, int output, const ChildOptions& options)
      : child_(child), output_(output), options_(options) {
    if (!options.log_file.empty())
      log_ = open(options.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
    close(output_);
    if (log_ >= 0) close(log_);
  }

  ChildEnded wait() {
    const Clock::time_point start = Clock::now();
    Clock::time_point ticked = start;
    int status = 0;
    for (;;) {
      const bool ended = waitpid(child_, &status, WNOHANG) == child_;
      read_output(ended ? 0 : tick_milliseconds / 5);
      if (ended) break;
      end_in_time(seconds_since(start));
      if (options_.on_tick && seconds_since(ticked) * 1000 >= tick_milliseconds) {
        ticked = Clock::now();
        options_.on_tick();
      }
    }
    kill(-child_, SIGKILL);  // what it has left
    if (!line_.empty() && options_.on_line) options_.on_line(line_);
    ended_.seconds = seconds_since(start);
    ended_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return std::move(ended_);
  }

 private:
  void end_in_time(double seconds) {
    if (!ended_.late && (seconds > options_.seconds || stop_asked())) {
      ended_.late = true;
      killed_at_ = seconds + options_.grace_seconds;
      kill(child_, SIGINT);
    }
    if (ended_.late && seconds > killed_at_) kill(-child_, SIGKILL);
  }

  /** All that is there; waits for the first of it. */
  void read_output(int milliseconds) {
    for (pollfd descriptor{output_, POLLIN, 0}; poll(&descriptor, 1, milliseconds) > 0; milliseconds = 0) {
      std::array<char, 8192> bytes{};
      const ssize_t count = read(output_, bytes.data(), bytes.size());
      if (count <= 0) {
        if (milliseconds > 0) usleep(static_cast<useconds_t>(milliseconds) * 1000);
        return;
      }
      take({bytes.data(), static_cast<std::size_t>(count)});
    }
  }

  void take(std::string_view text) {
    if (log_ >= 0 && write(log_, text.data(), text.size()) < 0) close(std::exchange(log_, -1));
    ended_.output += text;
    if (ended_.output.size() > 2 * kept_bytes) ended_.output.erase(0, ended_.output.size() - kept_bytes);
    if (!options_.on_line) return;
    for (const char c : text) {
      if (c != '\n') {
        line_ += c;
        continue;
      }
      options_.on_line(line_);
      line_.clear();
    }
  }

  pid_t child_;
  int output_;
  const ChildOptions& options_;
  int log_ = -1;
  double killed_at_ = 0;
  std::string line_;
  ChildEnded ended_;
};

}  // namespace

ChildEnded run_child(const std::vector<std::string>& words, const ChildOptions& options) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {.code = not_started, .output = std::strerror(errno)};
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(words, options, ends[1], parent);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return {.code = not_started, .output = std::strerror(errno)};
  }
  return Watched(child, ends[0], options).wait();
}

void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, remember);
  std::signal(SIGPIPE, SIG_IGN);
}

bool stop_asked() { return asked_to_stop; }

std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  const char* path = std::getenv("PATH");
  std::vector<std::string> places = base::split_text(path != nullptr ? path : "/usr/bin:/bin", ':');
  places.insert(places.end(), folders.begin(), folders.end());
  for (const std::string& folder : places) {
    const std::string file = folder + "/" + name;
    if (!folder.empty() && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace kernelscape::gpu_proof
