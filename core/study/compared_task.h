#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"
#include "core/analysis/order_statistics.h"
#include "core/store/store.h"

namespace kernelscape::study {

/** The facts about the task of a run that its session's row contains. */
struct ComparedTaskFacts {
  analysis::ComparedTask task;  ///< without name; `optimum` and `noise` for replays only
  double flops = 0;             ///< 0: not known
  /**
   * Members of a measured space, if they can be counted: a run with as many trials has visited the whole
   * space.
   */
  std::optional<std::int64_t> member_count = {};
};

/** Returns GFLOP/s, or calls per second if `flops` is 0. @param seconds of a call, above 0 */
double performance_of(double flops, double seconds);

/**
 * Returns the approximate relative standard error of a median of such samples: their interquartile range over
 * the median, times 1.25 over the root of their number. Returns nullopt for less than three samples, whose
 * range is meaningless.
 */
std::optional<double> relative_noise(const analysis::Quartiles& samples);

/** Maximum relative distance from the optimum of the configurations that determine a task's noise. */
inline constexpr double near_optimum = 0.05;

/** Returns the median of noises in any order, or 0 if there are none. */
double typical_noise(std::vector<double> noises);

/**
 * Returns the facts about a task that is replayed from a recording.
 * @param space only its members count; null: all rows
 */
Result<ComparedTaskFacts> recorded_task_facts(const trial::Recording& recording,
                                              const space::SearchSpace* space);

/** Returns the facts about the task of a session. @param record of any session of the task */
Result<ComparedTaskFacts> compared_task_facts(const store::Store& store, const store::SessionRecord& record);

}  // namespace kernelscape::study
