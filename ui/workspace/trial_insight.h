#pragma once

#include <filesystem>
#include <optional>

#include "core/measure/kernel_insight.h"
#include "core/trial/counter_reading.h"
#include "ui/workspace/source.h"

namespace kernelscape {

/** Why a trial's kernel is as fast as it is: what its text says, and what was counted when somebody asked. */
struct TrialInsight {
  KernelInsight kernel;
  std::optional<CounterReading> counters;  ///< of the trial, as stored; nothing: never counted
};

/**
 * A trial's kernel built once more with line tables by this machine's compiler, read into lines, loops,
 * counts and bounds. What the session says of compilers is never run. Takes a compile: for a background job.
 * Errors: of insight_request_of() and kernel_insight(). Counters that can't be read count as none.
 */
Result<TrialInsight> trial_insight(const std::filesystem::path& database, const SourceData& source,
                                   const Trial& trial);

}  // namespace kernelscape
