#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/run_numbers.h"

namespace kernelscape {

/** Whose runs are drawn: says which stream of random numbers is theirs. */
struct DrawnCell {
  std::size_t arm = 0;
  std::size_t task = 0;
  std::size_t arms = 1;
  std::size_t tasks = 1;
};

/**
 * Which of an arm's runs on a task make up each resample. Independent runs are drawn alone, as many as there
 * are. Of paired starts the task's repeats are drawn once for all arms alike, so that differences and ratios
 * of arms are of the same repeats; what an arm lacks of them is left out. Where none of those drawn is the
 * arm's, its runs are drawn alone.
 */
class RunDraws {
 public:
  /**
   * @param own_repeats of the arm's runs, in their order, each once where they are paired
   * @param task_repeats of paired starts: all of the task's, ascending; empty: runs are independent
   */
  RunDraws(const BootstrapOptions& options, const DrawnCell& cell, std::span<const int> own_repeats,
           std::span<const int> task_repeats);

  /** Positions among the arm's runs; not empty where it has any. @param resample below options.resamples */
  std::span<const std::uint32_t> positions(std::size_t resample) const;

 private:
  std::vector<std::uint32_t> positions_;
  std::vector<std::size_t> ends_;  ///< of each resample
};

/** Of a cell's finished runs. */
RunDraws draws_of_cell(const NumberedRuns& runs, std::size_t arm, std::size_t task,
                       const BootstrapOptions& options);

}  // namespace kernelscape
