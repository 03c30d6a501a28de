#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"
#include "core/analysis/order_statistics.h"
#include "core/store/store.h"

namespace kernelscape {

/** What a session's row tells of the task it is a run of. */
struct ComparedTaskFacts {
  ComparedTask task;  ///< without name; `optimum` and `noise` of replays only
  double flops = 0;   ///< 0: not known
  /** Members of a measured space, where they can be counted: a run with as many trials has visited it. */
  std::optional<std::int64_t> member_count = {};
};

/** GFLOP/s, or calls per second where `flops` is 0. @param seconds of a call, above 0 */
double performance_of(double flops, double seconds);

/**
 * The relative standard error of a median of such samples, roughly: their interquartile range over the
 * median, times 1.25 over the root of their number. None: with less than three a range says nothing.
 */
std::optional<double> relative_noise(const Quartiles& samples);

/** Configurations this close to the optimum, as a share of it, say how noisy a task is. */
inline constexpr double near_optimum = 0.05;

/** The median of such noises, in any order; 0: there are none. */
double typical_noise(std::vector<double> noises);

/**
 * What a recording tells of the task that it is replayed as.
 * @param space whose members count; null: all rows
 */
Result<ComparedTaskFacts> recorded_task_facts(const Recording& recording, const SearchSpace* space);

/** @param record of any session of the task */
Result<ComparedTaskFacts> compared_task_facts(const Store& store, const SessionRecord& record);

}  // namespace kernelscape
