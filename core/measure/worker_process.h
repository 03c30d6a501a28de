#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/worker/channel.h"
#include "core/measure/worker/worker_role.h"

namespace kernelscape {

/** $KERNELSCAPE_WORKER, else kernelscape-worker beside this program or installed with it. */
Result<std::string> find_worker_program();

/**
 * A kernelscape-worker of ours: a process group of its own, the channel as its only open descriptor, its
 * standard output and error captured. It dies with this object, and with the thread that started it.
 */
class WorkerProcess {
 public:
  /** Starts one without waiting for it. @param environment additional "NAME=value" */
  static Result<WorkerProcess> start(WorkerRole role, const std::vector<std::string>& environment = {});

  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();

  /** Waits for its greeting. The error is the machine's fault. */
  Status await_ready(const Interruption& interruption = {});

  Channel& channel() { return channel_; }  ///< to talk with it; closed by stop()
  /** Also its process group's; -1 once it was waited for or moved from. */
  pid_t process_id() const { return process_; }

  /** Closes the channel, which ends a worker that is not stuck together with what it started; then kills its
   * group. */
  void stop();

  /** Kills its group at once, for a worker that can't listen: a driver or a compiler holds it. */
  void kill() const;

  /** Stops it and says how it ended and what it wrote: "killed by SIGSEGV (...): text". */
  std::string describe_end();

 private:
  WorkerProcess(pid_t process, Channel channel, UniqueFd output);
  bool reap(bool wait);

  pid_t process_ = -1;
  int status_ = 0;
  Channel channel_;
  UniqueFd output_;
};

}  // namespace kernelscape
