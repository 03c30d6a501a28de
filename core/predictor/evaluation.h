#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/predictor/data_set.h"

namespace kernelscape {

/** Kendall's tau-b of two equally long columns; 0 where one of them is constant or has a NaN. O(n log n). */
double kendall_tau(std::span<const float> first, std::span<const float> second);

/** How far from the best one is after so many measurements, as a share of the best: 0 is the best itself. */
struct RegretAt {
  std::int64_t measurements = 0;
  double predicted = 0;  ///< of the best of those with the highest predictions, of equal ones the first
  double random = 0;     ///< expected of as many drawn at random without replacement, exactly

  bool operator==(const RegretAt&) const = default;
};

/** What a predictor says of the samples of one task. */
struct TaskOutcome {
  std::string task;  ///< its text
  DataPart part = DataPart::Test;
  std::int64_t samples = 0;
  double kendall_tau = 0;
  std::vector<RegretAt> regret;  ///< after 1, 4, 16 and 64 measurements, as far as there are so many samples
  double best_fitness = 0;

  bool operator==(const TaskOutcome&) const = default;
};

/** Of predictions and measured fitness of a task's samples, in the same order. */
TaskOutcome task_outcome(const TaskSamples& samples, DataPart part, std::span<const float> predictions);

/** A median over tasks of one part; NaN without any. */
double median_tau(std::span<const TaskOutcome> outcomes, DataPart part);
/** The same of regret, after each number of measurements that a task of the part has samples for. */
std::vector<RegretAt> median_regret(std::span<const TaskOutcome> outcomes, DataPart part);

}  // namespace kernelscape
