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
#include "core/trial/vendor_result.h"

namespace kernelscape {

/** A trial with what the processor counted in it. */
struct CountedMeasurement {
  Measurement measurement;
  std::optional<CounterReading> counters;  ///< none: the kernel went wrong
};

/** What a run worker is told of a task whose kernels it will run. */
PrepareRequest prepare_request_of(const Task& task, const TargetDescription& target,
                                  const MeasureOptions& options);

/** What it is asked to run. @param threads that a kernel has which can be divided */
RunRequest run_request_of(const KernelSource& source, std::string artefact, const MeasureOptions& options,
                          int threads);

/** The run worker of a device, prepared for one task. */
class Runner {
 public:
  Runner(const Task& task, const TargetDescription& target, const MeasureOptions& options);
  /** For what was asked elsewhere. InvalidArgument: its task is none. */
  static Result<Runner> of_request(PrepareRequest request, const TargetDescription& target);

  /** The kernels are a user's own: what they are given and what is right. Before the first run. */
  void set_program(ProgramRequest program);

  /** Starts and prepares the worker where that was not done. InvalidArgument: what the task or the program is
   * wrong in, such as a reference that fails. */
  Status make_ready(const Interruption& interruption);

  /**
   * Checks and times a built kernel; nothing where it was interrupted. The worker is started and prepared
   * when it is first needed, and replaced when it is lost: with a kernel that costs the trial RUNTIME_DEVICE,
   * a broken protocol UNKNOWN_ERROR, a GPU's kernel that does not end RUN_TIMEOUT; before it had the kernel
   * nothing. It is replaced, too, after a fault that a GPU's context does not survive. Errors are the
   * machine's fault.
   * @param options for this run; threads and input seed are those of the runner
   */
  Result<std::optional<Measurement>> run(const KernelSource& source, std::string artefact,
                                         const MeasureOptions& options, double best_seconds,
                                         const Interruption& interruption);

  /** The same of what was asked elsewhere. */
  Result<std::optional<RunReply>> exchange(const RunRequest& request, const Interruption& interruption);

  /** The same of a CPU's kernel, with counters in one more region behind those that are timed: never for what
   * is ranked, since such a kernel may open counters itself. Corrupt: what came back is no reading. */
  Result<std::optional<CountedMeasurement>> run_counted(const KernelSource& source, std::string artefact,
                                                        const MeasureOptions& options,
                                                        const Interruption& interruption);

 private:
  Runner(PrepareRequest request, const Task& task, const TargetDescription& target);
  Status prepare(const Interruption& interruption);
  Result<std::optional<RunReply>> take_reply(RunReply reply);
  std::optional<RunReply> take_loss(const ChannelError& problem, double seconds,
                                    const MeasureOptions& options);

  PrepareRequest prepare_;
  TargetDescription target_;
  double grace_seconds_;  ///< beyond a kernel's own time
  std::optional<WorkerProcess> worker_;
  TimingMark timing_mark_;
};

/** The worker that times the vendor's library on a task: an own process, since the library keeps threads of
 * its own. */
class VendorRunner {
 public:
  VendorRunner(const Task& task, const TargetDescription& target, const MeasureOptions& options);

  /** For what was asked elsewhere. */
  VendorRunner(const BaselineRequest& request, const TargetDescription& target);

  /** One timing of options.repeats samples. That there is no number, and why, is a result; interruption an
   * error. */
  Result<VendorResult> run(const MeasureOptions& options, const Interruption& interruption);

 private:
  Status start(const Interruption& interruption);
  Result<VendorResult> take_loss(const ChannelError& problem);

  std::string task_json_;
  std::string device_;
  int threads_;
  std::int64_t cores_;
  std::optional<WorkerProcess> worker_;
  TimingMark timing_mark_;
};

}  // namespace kernelscape
