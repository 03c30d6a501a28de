#pragma once

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/base/result.h"
#include "tests/benchmarks/drift/process_tree.h"

namespace kernelscape::drift {

/**
 * A second session that measures at the same time. It sees an empty /tmp of its own and therefore none of the
 * leases of this machine: what a program does that does not know them.
 */
class OtherProgram {
 public:
  OtherProgram() = default;
  OtherProgram(const OtherProgram&) = delete;
  OtherProgram& operator=(const OtherProgram&) = delete;
  ~OtherProgram() { end(); }

  /** Starts the session, stopped. Error: the system does not allow a private /tmp, or the program ended. */
  Status start(const std::string& program) {
    end();
    const std::string users = fmt::format("0 {} 1", getuid());
    process_ = fork();
    if (process_ < 0) return fail(ErrorCode::Environment, "no process can be started");
    if (process_ == 0) run(program.c_str(), users);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    int status = 0;
    if (waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      return fail(ErrorCode::Environment,
                  "a second session without the lease of the first cannot be started");
    }
    set_running(false);
    return {};
  }
  void set_running(bool running) {
    if (process_ <= 0) return;
    if (running) {
      signal_all(stopped_, SIGCONT);
      stopped_.clear();
    } else {
      stopped_ = stop_tree(process_, true);
    }
  }

 private:
  void end() {
    if (process_ <= 0) return;
    std::vector<pid_t> all{process_};
    append_descendants(process_, all);
    signal_all(all, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
    stopped_.clear();
  }
  /** Runs in the forked process. */
  [[noreturn]] static void run(const char* program, const std::string& users) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (unshare(CLONE_NEWNS) != 0) {
      if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(1);
      write("/proc/self/setgroups", "deny");
      write("/proc/self/uid_map", users.c_str());
    }
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", "/tmp", "tmpfs", 0, nullptr) != 0)
      _exit(1);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {0, 1, 2}) dup2(nowhere, stream);
    execl(program, program, "tune", "matmul 512x1024 1024x1024 f32", "--tuner", "random", "--trials",
          "100000", "--seed", "1", "--db", "/tmp/other.db", static_cast<char*>(nullptr));
    _exit(1);
  }
  static void write(const char* path, const char* text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    if (::write(file, text, std::strlen(text)) < 0) _exit(1);
    close(file);
  }

  pid_t process_ = -1;
  std::vector<pid_t> stopped_;
};

}  // namespace kernelscape::drift
