#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/protocol.h"
#include "core/trial/machine_speed.h"

namespace kernelscape::fleet {

/**
 * Builds kernels for a fleet worker. Used only by the thread that created it. An error is a failure of the
 * machine and not a result; nullopt: the build was interrupted.
 */
class BuildExecutor {
 public:
  virtual ~BuildExecutor() = default;
  /** Builds one kernel with this machine's tools, whatever compiler and device the request names. */
  virtual Result<std::optional<measure::BuildReply>> build(const measure::BuildRequest& request,
                                                           const measure::Interruption& interruption) = 0;
};

/** The speed of a worker's machine relative to its usual speed. */
struct MachinePace {
  trial::MachineSpeed speed{};  ///< unknown: the device has no speed probe, or nothing was run yet
  bool slow = false;            ///< the machine is in a slow phase
  bool waits = false;           ///< no task is to be taken before the machine has recovered

  bool operator==(const MachinePace&) const = default;
};

/**
 * Runs kernels for a fleet worker. Used only by the thread that created it. An error is a failure of the
 * machine and not a result; nullopt: the run was interrupted.
 */
class RunExecutor {
 public:
  virtual ~RunExecutor() = default;
  /** Prepares the following runs. Returns InvalidArgument if the task is invalid. */
  virtual Status prepare(const measure::PrepareRequest& request,
                         const measure::Interruption& interruption) = 0;
  /** Runs a kernel of the family that was prepared last. */
  virtual Result<std::optional<measure::RunReply>> run(const measure::RunRequest& request,
                                                       const measure::Interruption& interruption) = 0;
  /** Measures the vendor's library. */
  virtual Result<std::optional<measure::BaselineReply>> measure_baseline(
      const measure::BaselineRequest& request, const measure::Interruption& interruption) = 0;
  /** Returns the state of the machine as the latest run shows it. */
  virtual MachinePace pace() const { return {}; }
  /**
   * Waits, before a task is taken, until the machine is as fast as usual. All waits of a slow phase together
   * take at most the time that the latest run's options name (slow_phase_patience_seconds).
   */
  virtual Status wait_for_machine(const measure::Interruption& /*interruption*/) { return {}; }
};

/** Creates the executors, each in the thread that will use it. */
struct Executors {
  std::function<std::unique_ptr<BuildExecutor>()> builder{};
  std::function<std::unique_ptr<RunExecutor>()> runner{};
};

}  // namespace kernelscape::fleet
