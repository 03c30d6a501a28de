#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/worker/channel.h"
#include "core/measure/worker/worker_role.h"

namespace kernelscape::measure {

/**
 * Returns the path of the worker program: $KERNELSCAPE_WORKER, else kernelscape-worker beside this program or
 * installed with it.
 */
Result<std::string> find_worker_program();

/** Maximum number of attempts of a request; if a worker is lost in each of them, this is a machine fault. */
constexpr int max_worker_attempts = 3;

/** How a worker ended. */
struct WorkerEnd {
  bool stopped = false;  ///< true: it was killed by this program
  int signal = 0;        ///< signal that ended it; 0: it exited
  int exit_code = 0;
  std::string output{};  ///< head of its output
};

/** Returns the end as text: "killed by SIGSEGV (Segmentation fault): text", "ended with exit code 3". */
std::string describe(const WorkerEnd& end);

/**
 * Returns true if the worker may have ended because memory was short: the system's out-of-memory killer
 * leaves no other trace.
 */
bool may_lack_memory(const WorkerEnd& end);

/** Returns a hint for a user who gets such an end repeatedly. */
std::string hint_for(const WorkerEnd& end);

/**
 * A kernelscape-worker process of this program. It has its own session and process group without a terminal,
 * the channel as its only open descriptor, and captured standard output and error. It ends with this object,
 * and with the thread that started it.
 */
class WorkerProcess {
 public:
  /**
   * Starts a worker without waiting for it. Errors are machine faults: the program is missing, or no process,
   * memory or descriptor is available.
   * @param environment additional variables "NAME=value"
   */
  static Result<WorkerProcess> start(WorkerRole role, const std::vector<std::string>& environment = {});

  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();

  /**
   * Waits for the worker's greeting. A worker that is lost before is replaced, with max_worker_attempts
   * attempts in all. The error is a machine fault, and reports how the last worker ended.
   */
  Status await_ready(const Interruption& interruption = {});

  Channel& channel() { return channel_; }  ///< channel to the worker; closed by stop()
  /** Returns the id of the process and its group; -1 once it was waited for or moved from. */
  pid_t process_id() const { return process_; }

  /**
   * Closes the channel, which ends a worker that is not stuck, together with the processes it started. Then
   * kills its group, and, if it did not exit normally, all processes that it started.
   */
  void stop();

  /**
   * Kills the worker's group at once. Use it for a worker that can't react because a driver or a compiler
   * blocks it.
   */
  void kill();

  /** Stops the worker and returns how it ended. */
  WorkerEnd end();

  /** Stops the worker and returns as text how it ended. */
  std::string describe_end() { return describe(end()); }

 private:
  WorkerProcess(WorkerRole role, std::vector<std::string> environment, pid_t process, Channel channel,
                UniqueFd output);
  bool has_ended() const;
  bool ends_within(double seconds) const;
  Error not_started(const ChannelError& problem, int attempts);

  WorkerRole role_;
  std::vector<std::string> environment_;
  pid_t process_ = -1;
  bool stopped_ = false;
  int status_ = 0;
  Channel channel_;
  UniqueFd output_;
};

}  // namespace kernelscape::measure
