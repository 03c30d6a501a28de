#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/schedule/target.h"
#include "core/space/configuration.h"
#include "core/task/task.h"

namespace kernelscape {

/** What was measured of one task: valid trials alone, each configuration once. */
struct TaskSamples {
  Task task;
  std::vector<Configuration> configurations;
  std::vector<float> fitness;  ///< FLOP/s, by configuration
};

/** Samples of several tasks of one template on one target: what a predictor is trained on. */
struct DataSet {
  std::string template_name;
  int template_version = 0;
  TargetDescription target;          ///< of the first source; the others have the same ISA
  std::vector<TaskSamples> tasks;    ///< each task (by its text) once, in the order of the sources
  std::vector<std::string> sources;  ///< "study 3 (conv2d-packed tasks)", "recorded:x.ksrec": for users

  std::size_t samples() const;  ///< of all tasks
  /** Of all that training depends on: template, target, tasks, configurations and fitness, in their order. */
  std::uint64_t hash() const;
};

/**
 * Whether it is what DataSet says and has a sample. InvalidArgument: no valid trial, or a fitness that is not
 * finite and above 0; Internal: a task twice, or columns of different lengths.
 */
Status check_data_set(const DataSet& data);

/** What a sample is for. */
enum class DataPart : std::uint8_t { Training, Validation, Test };

/** Shares of the tasks that are held out. */
struct SplitShares {
  double validation = 0.15;
  double test = 0.15;
};

/**
 * The part of each task: whole tasks, drawn at random, at least one validation and one test task where its
 * share is above 0. The samples of a task are all in one part: that no task has a second text is what
 * check_data_set() is for. InvalidArgument where no task is left to train on, saying how many are needed.
 */
Result<std::vector<DataPart>> split_by_task(std::size_t tasks, const SplitShares& shares, Random random);

/** Leaves out samples that are more than `factor` times slower than their task's best (One-Shot, section 5).
 * @return how many */
std::size_t drop_slow_samples(DataSet& data, double factor);

/** For each label how often it is to be drawn, as 1 / (labels in its bin), of equal-width bins over all
 * labels (One-Shot, section 4.1.2 and its artifact). @param bins at least 1 */
std::vector<double> inverse_frequencies(const std::vector<float>& labels, std::size_t bins);

}  // namespace kernelscape
