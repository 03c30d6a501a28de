#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/protocol.h"

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
};

/** Creates the executors, each in the thread that will use it. */
struct Executors {
  std::function<std::unique_ptr<BuildExecutor>()> builder{};
  std::function<std::unique_ptr<RunExecutor>()> runner{};
};

}  // namespace kernelscape::fleet
