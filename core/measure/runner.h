#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/measure/measurer.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker/timing_mark.h"
#include "core/measure/worker_process.h"
#include "core/schedule/target.h"
#include "core/task/task.h"
#include "core/trial/counter_reading.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/** A trial with its processor counters. */
struct CountedMeasurement {
  trial::Measurement measurement;
  std::optional<trial::CounterReading> counters;  ///< nullopt: the kernel failed
};

/** Returns the name of a target's device in requests to workers: "cpu", "cuda:0". */
std::string device_of(const schedule::TargetDescription& target);

/** Returns the request that prepares a run worker for the kernels of a task. */
PrepareRequest prepare_request_of(const task::Task& task, const schedule::TargetDescription& target,
                                  const trial::MeasureOptions& options);

/**
 * Returns the request that runs a kernel.
 * @param threads number of threads of a kernel that can be divided
 */
RunRequest run_request_of(const codegen::KernelSource& source, std::string artefact,
                          const trial::MeasureOptions& options, int threads);

/** The run worker of a device, prepared for one task. */
class Runner {
 public:
  Runner(const task::Task& task, const schedule::TargetDescription& target,
         const trial::MeasureOptions& options);
  /** Makes a runner for a request of another program. Returns InvalidArgument if its task is invalid. */
  static Result<Runner> of_request(PrepareRequest request, const schedule::TargetDescription& target);

  /** Sets the arguments and reference of user kernels. Call it before the first run. */
  void set_program(ProgramRequest program);

  /**
   * Starts and prepares the worker if it is not ready. Returns InvalidArgument if the task or the program has
   * an error, such as a reference that fails.
   */
  Status make_ready(const Interruption& interruption);

  /**
   * Checks and times a built kernel. Returns nullopt if it was interrupted. The worker is started and
   * prepared when it is first needed, and replaced when it is lost. If it is lost with a kernel, the trial is
   * RUNTIME_DEVICE; if it breaks the protocol, UNKNOWN_ERROR; if a GPU kernel does not end, RUN_TIMEOUT. If
   * it is lost before it had the kernel, the trial is not affected. The worker is also replaced after a fault
   * that a GPU context does not survive. Errors are machine faults.
   * @param options options of this run; threads and input seed are those of the runner
   */
  Result<std::optional<trial::Measurement>> run(const codegen::KernelSource& source, std::string artefact,
                                                const trial::MeasureOptions& options, double best_seconds,
                                                const Interruption& interruption);

  /**
   * Takes a reading of the speed probe in the run worker, with as many threads as the kernel of the last run,
   * for callers that wait for the machine. The worker is started and prepared if it is not ready. Returns
   * nullopt if the reading was interrupted or failed, or if the device has no probe.
   */
  Result<std::optional<trial::ProbeSeconds>> probe_speed(const Interruption& interruption);

  /** Returns why the prepared device has no speed probe; empty: it has one, or nothing was prepared yet. */
  const std::string& probe_problem() const { return probe_problem_; }

  /** Returns what the driver of a GPU reported last; not known: nothing yet. */
  const GpuConditions& gpu_conditions() const { return gpu_conditions_; }

  /** Runs the request of another program, as run() does. */
  Result<std::optional<RunReply>> exchange(const RunRequest& request, const Interruption& interruption);

  /**
   * Runs a CPU kernel as run() does, with counters in one more region after the timed regions. Never use it
   * for ranked trials, since such a kernel may open counters itself. Returns Corrupt if the reply holds no
   * valid reading.
   */
  Result<std::optional<CountedMeasurement>> run_counted(const codegen::KernelSource& source,
                                                        std::string artefact,
                                                        const trial::MeasureOptions& options,
                                                        const Interruption& interruption);

 private:
  Runner(PrepareRequest request, const task::Task& task, const schedule::TargetDescription& target);
  Status prepare(const Interruption& interruption);
  bool take_probe(PrepareReply& reply);
  Result<std::optional<RunReply>> take_reply(RunReply reply);
  std::optional<RunReply> take_loss(const ChannelError& problem, double seconds,
                                    const trial::MeasureOptions& options);

  PrepareRequest prepare_;
  schedule::TargetDescription target_;
  double grace_seconds_;             ///< time allowed beyond that of a kernel
  std::int32_t probed_threads_ = 0;  ///< threads of the last kernel; 0: none was run
  std::string probe_problem_{};
  GpuConditions gpu_conditions_{};
  std::optional<WorkerProcess> worker_;
  TimingMark timing_mark_;
};

}  // namespace kernelscape::measure
