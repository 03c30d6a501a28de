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

/** How often in all a worker is asked for something before its loss counts as the machine's fault. */
constexpr int most_worker_attempts = 3;

/** How a worker ended. */
struct WorkerEnd {
  bool stopped = false;  ///< it did not end by itself: it was killed
  int signal = 0;        ///< that ended it; 0: it exited
  int exit_code = 0;
  std::string output{};  ///< the head of what it wrote
};

/** "killed by SIGSEGV (Segmentation fault): text", "ended with exit code 3". */
std::string describe(const WorkerEnd& end);

/** Whether it may have ended because memory was short: the system's killer leaves no other trace. */
bool may_lack_memory(const WorkerEnd& end);

/** The way out for who meets such an end again and again. */
std::string hint_for(const WorkerEnd& end);

/**
 * A kernelscape-worker of ours: a session and process group of its own without a terminal, the channel as its
 * only open descriptor, its standard output and error captured. It dies with this object, and with the thread
 * that started it.
 */
class WorkerProcess {
 public:
  /**
   * Starts one without waiting for it. The error is the machine's fault: the program is missing, or no
   * process, memory or descriptor is left. @param environment additional "NAME=value"
   */
  static Result<WorkerProcess> start(WorkerRole role, const std::vector<std::string>& environment = {});

  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();

  /**
   * Waits for its greeting. A worker that is lost before is replaced, most_worker_attempts in all: the error
   * is the machine's fault, and says how the last one ended.
   */
  Status await_ready(const Interruption& interruption = {});

  Channel& channel() { return channel_; }  ///< to talk with it; closed by stop()
  /** Also its process group's; -1 once it was waited for or moved from. */
  pid_t process_id() const { return process_; }

  /** Closes the channel, which ends a worker that is not stuck together with what it started; then kills its
   * group, and where it did not end in good order all that it started. */
  void stop();

  /** Kills its group at once, for a worker that can't listen: a driver or a compiler holds it. */
  void kill();

  /** Stops it and says how it ended. */
  WorkerEnd end();

  /** The same in words. */
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

}  // namespace kernelscape
