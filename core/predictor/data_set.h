#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/predictor/templates.h"
#include "core/schedule/target.h"
#include "core/space/configuration.h"
#include "core/task/task.h"

namespace kernelscape::predictor {

/** The measured samples of one task with one template: valid trials only, each configuration once. */
struct TaskSamples {
  task::Task task;
  std::vector<space::Configuration> configurations;
  std::vector<float> fitness;           ///< FLOP/s, by configuration
  TemplateVersion other_template = {};  ///< without a name: the template of the data set
};

/**
 * Samples of several tasks on one target, on which a predictor is trained: of one template, or of several
 * templates of one operation.
 */
struct DataSet {
  std::string template_name;           ///< the first template
  int template_version = 0;            ///< version of the first template
  schedule::TargetDescription target;  ///< of the first source; the others have the same ISA
  /** Each task (by its text) once for each template, in the order of the sources. */
  std::vector<TaskSamples> tasks;
  std::vector<std::string> sources;  ///< names for users: "study 3 (conv2d-packed tasks)", "recorded:x.ksrec"

  std::size_t samples() const;  ///< number of samples of all tasks
  /** Returns the template of a task's samples. */
  TemplateVersion template_of(const TaskSamples& samples) const;
  /** Returns the templates: the first, then the others in the order of the tasks. */
  std::vector<TemplateVersion> templates() const;
  /**
   * Returns the hash of all that training depends on: template, target, tasks, configurations and fitness, in
   * their order.
   */
  std::uint64_t hash() const;
};

/**
 * Checks that a data set satisfies the conditions of DataSet and has a sample. Returns InvalidArgument if
 * there is no valid trial, or if a fitness is not finite and above 0; Internal if a task occurs twice with
 * one template, or if columns differ in length.
 */
Status check_data_set(const DataSet& data);

/** Returns the operation of a task, the first word of its text: "conv2d", "matmul". */
std::string operation_of(const task::Task& task);

/** The purpose of a sample. */
enum class DataPart : std::uint8_t { Training, Validation, Test };

/** The shares of the tasks that are held out. */
struct SplitShares {
  double validation = 0.15;
  double test = 0.15;
};

/**
 * Assigns whole tasks to parts at random: at least one validation and one test task if the share of the part
 * is above 0. All samples of a task are in one part. Returns InvalidArgument with the required number of
 * tasks if no task remains for training.
 */
Result<std::vector<DataPart>> split_by_task(std::size_t tasks, const SplitShares& shares,
                                            base::Random random);

/**
 * Assigns the tasks of a data set to parts as split_by_task() does, with a task's samples of all templates in
 * one part. Tasks without samples are not drawn, and belong to training.
 */
Result<std::vector<DataPart>> split_data_set(const DataSet& data, const SplitShares& shares,
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
