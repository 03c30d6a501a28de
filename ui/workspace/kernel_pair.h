#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/session/kernel_difference.h"
#include "ui/workspace/trial_details.h"
#include "ui/workspace/trial_insight.h"

namespace kernelscape {

/** One of two trials that are compared. */
struct PairedKernel {
  TrialDetails details;
  std::vector<double> samples_seconds;    ///< that are compared; empty: none
  std::optional<TrialInsight> insight{};  ///< none: its code is not known
  std::string insight_problem{};          ///< why not
};

/** Two trials of a session, and what their numbers say. */
struct KernelPair {
  Source source;
  PairedKernel a;
  PairedKernel b;
  /** Both were measured again together: their samples are those, taken in turns. */
  bool interleaved = false;
  std::vector<std::size_t> knobs;  ///< of the space, whose values differ
  KernelDifference difference;
};

/** Works out the knobs, the samples and the sentences of trials that were read. @param pair with source,
 * details and insights */
void compare_pair(KernelPair& pair);

/**
 * Reads two trials and builds both kernels once more. A kernel that can't be built has its reason, and the
 * rest is compared. Takes two compiles: for a background job.
 * @param proceed asked between the steps; where it says no, what is there so far is given
 */
Result<KernelPair> kernel_pair(const std::filesystem::path& database, const Source& source,
                               std::int64_t row_a, std::int64_t row_b, const std::function<bool()>& proceed);

}  // namespace kernelscape
