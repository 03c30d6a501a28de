#pragma once

#include <cstddef>
#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/compared_measure.h"
#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape {

/** Pointwise 95 % intervals of a profile's shares, at some of its steps. */
struct ProfileBand {
  std::vector<double> factors;  ///< ascending
  std::vector<double> low;      ///< 0 to 1
  std::vector<double> high;
};

/** A step function of the factor: change points only. */
struct ProfileLine {
  std::size_t arm = 0;
  std::vector<double> factors;  ///< ascending
  std::vector<double> shares;   ///< of the arm's runs that are within the factor, from there on
  std::size_t runs = 0;         ///< finished, on the tasks that count
  ProfileBand band;             ///< empty: below 2 runs (tasks, where they are drawn), or none was asked for

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

/**
 * Of finished runs. Bands are found as intervals of the table are: runs are drawn anew within each arm and
 * task (of paired starts repeats for all arms alike), the tasks too where there are several and `bootstrap`
 * says so, and each resample has its own best medians.
 * @param measure by SecondsToGoal or TrialsToGoal; no lines for others
 */
PerformanceProfile performance_profile(const ComparedRuns& runs, const ComparedMeasure& measure,
                                       const BootstrapOptions& bootstrap = {.resamples = 0});

}  // namespace kernelscape
