#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/run_numbers.h"

namespace kernelscape::analysis {

/** The arm and task whose runs are drawn, which select the stream of random numbers. */
struct DrawnCell {
  std::size_t arm = 0;
  std::size_t task = 0;
  std::size_t arms = 1;
  std::size_t tasks = 1;
};

/**
 * The positions of an arm's runs on a task that make up each resample. Independent runs are drawn separately
 * for each arm, as many as there are. For paired starts, the task's repeats are drawn once for all arms, so
 * that differences and ratios of arms are of the same repeats; repeats that an arm lacks are left out. If
 * none of the drawn repeats is the arm's, its runs are drawn separately.
 */
class RunDraws {
 public:
  /**
   * @param own_repeats repeats of the arm's runs, in their order, each once if they are paired
   * @param task_repeats for paired starts, all repeats of the task, ascending; empty: runs are independent
   */
  RunDraws(const BootstrapOptions& options, const DrawnCell& cell, std::span<const int> own_repeats,
           std::span<const int> task_repeats);

  /**
   * Returns positions among the arm's runs; not empty if it has any. @param resample below options.resamples
   */
  std::span<const std::uint32_t> positions(std::size_t resample) const;

 private:
  std::vector<std::uint32_t> positions_;
  std::vector<std::size_t> ends_;  ///< end of each resample
};

/** Returns the draws of a cell's finished runs. */
RunDraws draws_of_cell(const NumberedRuns& runs, std::size_t arm, std::size_t task,
                       const BootstrapOptions& options);

}  // namespace kernelscape::analysis
