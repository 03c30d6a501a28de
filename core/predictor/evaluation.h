#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/predictor/data_set.h"

namespace kernelscape::predictor {

/**
 * Returns Kendall's tau-b of two columns of equal length, or 0 if one of them is constant or contains a NaN.
 * O(n log n).
 */
double kendall_tau(std::span<const float> first, std::span<const float> second);

/**
 * The regret after a number of measurements: the relative distance of the best measured sample from the best
 * of all. 0 is the best itself.
 */
struct RegretAt {
  std::int64_t measurements = 0;
  double predicted = 0;  ///< regret of measuring the samples with the highest predictions; among equal
                         ///< predictions, the first
  double random = 0;     ///< exact expected regret of as many samples drawn at random without replacement

  bool operator==(const RegretAt&) const = default;
};

/** The accuracy of a predictor on the samples of one task. */
struct TaskOutcome {
  std::string task;  ///< text of the task
  DataPart part = DataPart::Test;
  std::int64_t samples = 0;
  double kendall_tau = 0;
  std::vector<RegretAt> regret;  ///< after 1, 4, 16 and 64 measurements, as far as there are so many samples
  double best_fitness = 0;
  std::string template_name = {};  ///< if it is not the first template of the data set; else empty

  bool operator==(const TaskOutcome&) const = default;
};

/**
 * Computes the outcome from the predictions and the measured fitness of a task's samples, in the same order.
 */
TaskOutcome task_outcome(const TaskSamples& samples, DataPart part, std::span<const float> predictions);

/** Returns the median tau over the tasks of one part, or NaN if the part has no task. */
double median_tau(std::span<const TaskOutcome> outcomes, DataPart part);
/**
 * Returns the median regret over the tasks of one part, after each number of measurements for which a task of
 * the part has enough samples.
 */
std::vector<RegretAt> median_regret(std::span<const TaskOutcome> outcomes, DataPart part);

}  // namespace kernelscape::predictor
