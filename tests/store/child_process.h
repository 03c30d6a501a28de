#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <utility>

namespace kernelscape::store_test {

/** A forked process that talks to its parent over a pipe; killed at the latest when it goes out of scope. */
class ChildProcess {
 public:
  /** @param body runs in the child with the pipe's writing end; what it returns is the exit code */
  explicit ChildProcess(const std::function<int(int)>& body) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_id_ = fork();
    if (process_id_ < 0) throw std::runtime_error("no process");
    if (process_id_ == 0) {
      close(ends[0]);
      _exit(body(ends[1]));
    }
    close(ends[1]);
    reading_end_ = ends[0];
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    if (process_id_ > 0) {
      kill_now();
      wait();
    }
    close(reading_end_);
  }

  pid_t process_id() const { return process_id_; }

  /** Blocks for the child's next byte; false when it has ended. */
  bool read_byte() {
    char byte = 0;
    return read(reading_end_, &byte, 1) == 1;
  }

  void kill_now() { kill(process_id_, SIGKILL); }

  /** Waits until it has ended, but leaves the zombie. */
  void wait_for_end() {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(process_id_), &info, WEXITED | WNOWAIT);
  }

  /** Its exit code; -1 if it was killed. */
  int wait() {
    int state = 0;
    waitpid(std::exchange(process_id_, -1), &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  }

 private:
  pid_t process_id_ = -1;
  int reading_end_ = -1;
};

inline void write_byte(int pipe_end) {
  const char byte = 1;
  if (::write(pipe_end, &byte, 1) != 1) _exit(99);
}

/** Says that it is ready and waits to be killed. */
inline void wait_forever(int pipe_end) {
  write_byte(pipe_end);
  for (;;) pause();
}

/** Whether another process gets the lock on all of a file that only one can have: nobody has a lock on it. */
inline bool another_process_can_lock(const std::filesystem::path& path) {
  ChildProcess other([&](int) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock{};
    lock.l_type = F_WRLCK;
    return file >= 0 && fcntl(file, F_SETLK, &lock) == 0 ? 1 : 0;
  });
  return other.wait() != 0;
}

}  // namespace kernelscape::store_test
