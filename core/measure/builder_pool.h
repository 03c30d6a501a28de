#pragma once

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

namespace kernelscape {

/** What a build gave: an artefact, or a category and message. */
struct BuildOutcome {
  ErrorCategory category = ErrorCategory::NoError;
  std::string artefact{};  ///< bytes of a shared object, a cubin, an OpenCL program
  std::string message{};
  std::string log{};            ///< of a GPU kernel that was built
  KernelResources resources{};  ///< of a GPU kernel that was built; without occupancy
  std::string entry{};          ///< the kernel's name in the artefact, where it is not its source's
  double build_seconds = 0;
};

/** What a build worker is asked for a kernel of this target. */
BuildRequest build_request_of(KernelSource source, const TargetDescription& target, double timeout_seconds);

/** What its reply says of a kernel in this dialect. */
BuildOutcome build_outcome_of(BuildReply reply, Dialect dialect);

/** Where a pool gets its work and brings the results. */
struct BuildJobs {
  std::size_t count = 0;
  /** The source of job `index`; nothing where there is nothing to build. Asked for when a builder is free. */
  std::function<std::optional<KernelSource>(std::size_t index)> source;
  std::function<void(std::size_t index, BuildOutcome outcome)> done;
};

/**
 * Build workers, one per core, that live from batch to batch. A GPU's compiler lives in its worker, which is
 * killed and replaced where a compile outlasts its time.
 */
class BuilderPool {
 public:
  BuilderPool(const TargetDescription& target, const MeasureOptions& options);
  ~BuilderPool();

  /**
   * Builds all jobs in parallel; false where it was interrupted: what was being built is dropped.
   * Errors are the machine's fault: no worker starts, the disk is full, there is no compiler, or, where a
   * build failed, the compiler fails on a trivial kernel too; those failures are not reported as done.
   */
  Result<bool> build(const BuildJobs& jobs, const Interruption& interruption);

  /** One kernel; nothing where it was interrupted. Errors as above. */
  Result<std::optional<BuildOutcome>> build_one(const KernelSource& source, const Interruption& interruption);

  /** The same of what is asked elsewhere, with its own time-out. */
  Result<std::optional<BuildOutcome>> build_request(const BuildRequest& request,
                                                    const Interruption& interruption);

  /** Workers at most: the options' number, else the host's cores. */
  std::size_t builders() const { return limit_; }

 private:
  struct Builder;
  class Run;
  /** The request of job `index`, and its result. */
  struct Requests {
    std::size_t count = 0;
    std::function<std::optional<BuildRequest>(std::size_t index)> request;
    std::function<void(std::size_t index, BuildOutcome outcome)> done;
  };
  Result<bool> build_requests(const Requests& requests, const Interruption& interruption);
  Status start_builders(std::size_t wanted, const Interruption& interruption);
  Status self_test(const Interruption& interruption);

  TargetDescription target_;
  double timeout_seconds_;
  std::size_t limit_;
  std::vector<std::unique_ptr<Builder>> builders_;
};

}  // namespace kernelscape
