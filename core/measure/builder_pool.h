#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/measure/measurer.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker_process.h"
#include "core/schedule/target.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/** The result of a build: an artefact, or an error category and a message. */
struct BuildOutcome {
  trial::ErrorCategory category = trial::ErrorCategory::NoError;
  std::string artefact{};  ///< bytes of a shared object, a cubin, or an OpenCL program
  std::string message{};
  std::string log{};                   ///< the compiler's log of a GPU kernel that was built
  trial::KernelResources resources{};  ///< resources of a GPU kernel that was built, without its occupancy
  std::string entry{};  ///< the kernel's name in the artefact, if it differs from the name in the source
  std::int64_t code_bytes = 0;  ///< bytes of machine code; 0: not known
  double build_seconds = 0;
};

/** Returns the request that asks a build worker for a kernel of this target. */
BuildRequest build_request_of(codegen::KernelSource source, const schedule::TargetDescription& target,
                              double timeout_seconds);

/** Converts the reply of a build worker to the outcome of a kernel in this dialect. */
BuildOutcome build_outcome_of(BuildReply reply, codegen::Dialect dialect);

/** The jobs of a pool: where it reads sources and delivers results. */
struct BuildJobs {
  std::size_t count = 0;
  /**
   * Returns the source of job `index`, or nullopt if there is nothing to build. Called when a builder is
   * free.
   */
  std::function<std::optional<codegen::KernelSource>(std::size_t index)> source;
  std::function<void(std::size_t index, BuildOutcome outcome)> done;
};

/**
 * Build workers, one per core, that are reused from batch to batch. A GPU's compiler runs inside its worker,
 * which is killed and replaced if a compile exceeds its time-out.
 */
class BuilderPool {
 public:
  BuilderPool(const schedule::TargetDescription& target, const trial::MeasureOptions& options);
  ~BuilderPool();

  /**
   * Builds all jobs in parallel. Returns false if it was interrupted; builds in progress are then dropped.
   * Errors are the machine's fault: no worker starts, the disk is full, there is no compiler, or, after a
   * build failed, the compiler fails on a trivial kernel too. Such failures are not reported through `done`.
   */
  Result<bool> build(const BuildJobs& jobs, const Interruption& interruption);

  /** Builds one kernel. Returns nullopt if it was interrupted. Errors are those of build(). */
  Result<std::optional<BuildOutcome>> build_one(const codegen::KernelSource& source,
                                                const Interruption& interruption);

  /**
   * Builds the request of another program, with the time-out of that request. Returns nullopt if it was
   * interrupted. Errors are those of build().
   */
  Result<std::optional<BuildOutcome>> build_request(const BuildRequest& request,
                                                    const Interruption& interruption);

  /** Returns the maximum number of workers: the number in the options, else the host's cores. */
  std::size_t builders() const { return limit_; }

 private:
  struct Builder;
  class Run;
  /** The jobs of a pool as requests: where it reads the request of job `index` and delivers its outcome. */
  struct Requests {
    std::size_t count = 0;
    std::function<std::optional<BuildRequest>(std::size_t index)> request;
    std::function<void(std::size_t index, BuildOutcome outcome)> done;
  };
  Result<bool> build_requests(const Requests& requests, const Interruption& interruption);
  Status start_builders(std::size_t wanted, const Interruption& interruption);
  Status self_test(const Interruption& interruption);

  schedule::TargetDescription target_;
  double timeout_seconds_;
  std::size_t limit_;
  std::vector<std::unique_ptr<Builder>> builders_;
};

}  // namespace kernelscape::measure
