#pragma once

#include <cstddef>
#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/compared_measure.h"
#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape::analysis {

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
  std::vector<double> shares;   ///< share of the arm's runs within the factor, from this point on
  std::size_t runs = 0;         ///< finished runs on the included tasks
  ProfileBand band;             ///< empty: below 2 runs (tasks, if tasks are drawn), or not requested

  double at(double factor) const;  ///< share at a factor; 0 before the first step
};

/**
 * How far each arm is from the best, over tasks and runs: the share of its runs that reach the goal within a
 * factor of the median of the best arm on the task (of the smallest median). The part missing to 1 on the
 * right never reached the goal. Source: Dolan and More, "Benchmarking optimization software with performance
 * profiles", Mathematical Programming 91, 2002.
 */
struct PerformanceProfile {
  std::vector<ProfileLine> lines;         ///< of the arms with a run on an included task
  std::vector<std::size_t> tasks;         ///< the included tasks
  std::vector<std::size_t> unreached;     ///< tasks left out because no arm's median reaches the goal
  std::vector<std::size_t> within_noise;  ///< tasks left out because the goal is within the noise
  double largest_factor = 1;              ///< the largest finite factor of any run
};

/**
 * Computes the profile of finished runs. Bands are computed like the intervals of the table: runs are
 * resampled within each arm and task (for paired starts, the same repeats for all arms), the tasks too if
 * there are several and `bootstrap` requests it, and each resample has its own best medians.
 * @param measure SecondsToGoal or TrialsToGoal; there are no lines for others
 */
PerformanceProfile performance_profile(const ComparedRuns& runs, const ComparedMeasure& measure,
                                       const BootstrapOptions& bootstrap = {.resamples = 0});

}  // namespace kernelscape::analysis
