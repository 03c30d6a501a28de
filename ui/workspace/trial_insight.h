#pragma once

#include <filesystem>
#include <optional>

#include "core/measure/kernel_insight.h"
#include "core/session/advice.h"
#include "core/trial/counter_reading.h"
#include "ui/workspace/source.h"

namespace kernelscape::workspace {

/**
 * Explains the speed of a trial's kernel: analysis of its machine code, and hardware counters if the user has
 * requested them.
 */
struct TrialInsight {
  measure::KernelInsight kernel;
  std::optional<trial::CounterReading>
      counters;                          ///< counters of the trial, as stored; nullopt: never counted
  session::ScheduleFacts schedule = {};  ///< what the rules of the advice use of the schedule
};

/**
 * Rebuilds a trial's kernel with line tables, by this machine's compiler, and analyses it: lines, loops,
 * counts and bounds. Compilers named in the session are never run. Takes a compilation: to be called in a
 * background job. Errors: those of insight_request_of() and kernel_insight(). Counters that can't be read are
 * treated as missing.
 */
Result<TrialInsight> trial_insight(const std::filesystem::path& database, const SourceData& source,
                                   const trial::Trial& trial);

}  // namespace kernelscape::workspace
