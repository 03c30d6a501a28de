#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/session/kernel_difference.h"
#include "ui/workspace/trial_details.h"
#include "ui/workspace/trial_insight.h"

namespace kernelscape::workspace {

/** One of two trials to compare. */
struct PairedKernel {
  TrialDetails details;
  std::vector<double> samples_seconds;    ///< samples to compare; empty: none
  std::optional<TrialInsight> insight{};  ///< nullopt: the machine code is not known
  std::string insight_problem{};          ///< why `insight` is not known
};

/** Two trials of a session, with the differences of their results. */
struct KernelPair {
  Source source;
  PairedKernel a;
  PairedKernel b;
  /** True if both trials were remeasured together: the samples are from these interleaved measurements. */
  bool interleaved = false;
  std::vector<std::size_t> knobs;  ///< knobs of the space whose values differ
  session::KernelDifference difference;
};

/**
 * Computes the differing knobs, the samples and the sentences of two trials.
 * @param pair with source, details and insights
 */
void compare_pair(KernelPair& pair);

/**
 * Reads two trials and rebuilds both kernels. If a kernel can't be built, its insight holds the reason, and
 * the rest is compared. Takes two compilations: to be called in a background job.
 * @param proceed called between the steps; if it returns false, the function returns the result so far
 */
Result<KernelPair> kernel_pair(const std::filesystem::path& database, const Source& source,
                               std::int64_t row_a, std::int64_t row_b, const std::function<bool()>& proceed);

}  // namespace kernelscape::workspace
