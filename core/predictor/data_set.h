#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/schedule/target.h"
#include "core/space/configuration.h"
#include "core/task/task.h"

namespace kernelscape::predictor {

/** The measured samples of one task: valid trials only, each configuration once. */
struct TaskSamples {
  task::Task task;
  std::vector<space::Configuration> configurations;
  std::vector<float> fitness;  ///< FLOP/s, by configuration
};

/** Samples of several tasks of one template on one target, on which a predictor is trained. */
struct DataSet {
  std::string template_name;
  int template_version = 0;
  schedule::TargetDescription target;  ///< of the first source; the others have the same ISA
  std::vector<TaskSamples> tasks;      ///< each task (by its text) once, in the order of the sources
  std::vector<std::string> sources;  ///< names for users: "study 3 (conv2d-packed tasks)", "recorded:x.ksrec"

  std::size_t samples() const;  ///< number of samples of all tasks
  /**
   * Returns the hash of all that training depends on: template, target, tasks, configurations and fitness, in
   * their order.
   */
  std::uint64_t hash() const;
};

/**
 * Checks that a data set satisfies the conditions of DataSet and has a sample. Returns InvalidArgument if
 * there is no valid trial, or if a fitness is not finite and above 0; Internal if a task occurs twice, or if
 * columns differ in length.
 */
Status check_data_set(const DataSet& data);

/** The purpose of a sample. */
enum class DataPart : std::uint8_t { Training, Validation, Test };

/** The shares of the tasks that are held out. */
struct SplitShares {
  double validation = 0.15;
  double test = 0.15;
};

/**
 * Assigns whole tasks to parts at random: at least one validation and one test task if the share of the part
 * is above 0. All samples of a task are in one part; check_data_set() ensures that no task occurs under two
 * texts. Returns InvalidArgument with the required number of tasks if no task remains for training.
 */
Result<std::vector<DataPart>> split_by_task(std::size_t tasks, const SplitShares& shares,
                                            base::Random random);

/**
 * Removes samples that are more than `factor` times slower than the best of their task (One-Shot, section 5).
 * @return the number of removed samples
 */
std::size_t drop_slow_samples(DataSet& data, double factor);

/**
 * Returns the sampling weight of each label: 1 / (labels in its bin), with bins of equal width over all
 * labels (One-Shot, section 4.1.2 and its artifact). @param bins at least 1
 */
std::vector<double> inverse_frequencies(const std::vector<float>& labels, std::size_t bins);

}  // namespace kernelscape::predictor
