#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/protocol.h"

namespace kernelscape {

/** What a worker of a fleet builds with. Used by one thread, the one that it was made in. An error is the
 * machine's fault and no answer; nothing: it was interrupted. */
class BuildExecutor {
 public:
  virtual ~BuildExecutor() = default;
  /** One kernel, whatever compiler and device the request names. */
  virtual Result<std::optional<BuildReply>> build(const BuildRequest& request,
                                                  const Interruption& interruption) = 0;
};

/** What it runs with; likewise. */
class RunExecutor {
 public:
  virtual ~RunExecutor() = default;
  /** Of what runs from now on. InvalidArgument: what the task is wrong in. */
  virtual Status prepare(const PrepareRequest& request, const Interruption& interruption) = 0;
  /** A kernel of what was prepared last. */
  virtual Result<std::optional<RunReply>> run(const RunRequest& request,
                                              const Interruption& interruption) = 0;
  /** The vendor's library. */
  virtual Result<std::optional<BaselineReply>> measure_baseline(const BaselineRequest& request,
                                                                const Interruption& interruption) = 0;
};

/** Makes them, each in the thread that will use it. */
struct Executors {
  std::function<std::unique_ptr<BuildExecutor>()> builder{};
  std::function<std::unique_ptr<RunExecutor>()> runner{};
};

}  // namespace kernelscape
