#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/template.h"
#include "core/study/study.h"
#include "core/task/catalogue.h"
#include "core/task/task_sampling.h"

namespace kernelscape {

/** How trials of data sets are measured: short, since a model learns from many. */
inline constexpr MeasureOptions data_set_measuring{.repeats = 3, .min_repeat_seconds = 0.005};

/** The tuner that explores for data sets, with the settings of One-Shot Tuner, section 5. */
inline constexpr std::string_view data_set_tuner = "xgb";

/** What a user wants a data set to be of: names and numbers, unchecked. */
struct DataSetRequest {
  std::string template_name;
  std::string target = "cpu";
  /** Networks of the catalogue, prefixes of its tasks ("heron"), files as LayerTable::read() takes them;
   * empty: all networks, and for multiplications the lists of multiplications too. */
  std::vector<std::string> layers = {};
  TaskSampling sampling = TaskSampling::Prior;
  std::size_t tasks = 60;
  std::int64_t trials = 128;               ///< of each task
  double most_gflop = 0;                   ///< tasks with more are not drawn; 0: no limit
  std::vector<std::string> held_out = {};  ///< networks and tasks: their shapes are not drawn
  std::string tuner{data_set_tuner};
  /** Over those that data sets begin with: features=curve and loss=regression of data_set_tuner. */
  std::map<std::string, std::string> settings = {};
  MeasureOptions measuring = data_set_measuring;
  std::uint64_t seed = 1;  ///< of the tasks drawn and of the sessions
  std::string name = {};   ///< empty: made of the template
};

/** A data set that can be stored as a study, and how its tasks were drawn. */
struct DataSetPlan {
  StudyDefinition study;
  SampledTasks sampled;
  std::size_t layers = 0;  ///< different ones of the template's kind that were drawn from
};

/**
 * Draws the tasks and makes a session of each. Errors: an unknown template, network, prefix or file; layers
 * of which the template fits none; too few different tasks (see sample_tasks()).
 * @param target what kernels would be built for: decides which tasks the template fits
 */
Result<DataSetPlan> plan_data_set(const DataSetRequest& request, const Catalogue& catalogue,
                                  const TargetDescription& target);

/** "60 tasks of 161 layers; 21 of them are no layer; ...": how they were drawn, for users. */
std::string sampling_text(const DataSetPlan& plan);

}  // namespace kernelscape
