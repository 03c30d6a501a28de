#pragma once

#include <cstddef>
#include <vector>

#include "core/analysis/comparison/compared_measure.h"
#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape {

/** A step function of the factor: change points only. */
struct ProfileLine {
  std::size_t arm = 0;
  std::vector<double> factors;  ///< ascending
  std::vector<double> shares;   ///< of the arm's runs that are within the factor, from there on
  std::size_t runs = 0;         ///< finished, on the tasks that count

  double at(double factor) const;  ///< 0 before the first step
};

/**
 * How far from the best each arm is, over tasks and runs: the share of its runs that reach the goal within a
 * factor of the median of the best arm on the task (of the smallest median). What is left below 1 on the
 * right never got there. Source: Dolan and More, "Benchmarking optimization software with performance
 * profiles", Mathematical Programming 91, 2002.
 */
struct PerformanceProfile {
  std::vector<ProfileLine> lines;         ///< of the arms with a run on a task that counts
  std::vector<std::size_t> tasks;         ///< that count
  std::vector<std::size_t> unreached;     ///< tasks on which no arm's median gets there: left out
  std::vector<std::size_t> within_noise;  ///< tasks on which the goal is within the noise: left out
  double largest_factor = 1;              ///< finite, of any run
};

/** Of finished runs. @param measure by SecondsToGoal or TrialsToGoal; no lines for others */
PerformanceProfile performance_profile(const ComparedRuns& runs, const ComparedMeasure& measure);

}  // namespace kernelscape
