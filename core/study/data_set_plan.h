#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/template.h"
#include "core/study/study.h"
#include "core/task/catalogue.h"
#include "core/task/sampling.h"

namespace kernelscape::study {

/** The measuring options for the trials of data sets: short, since a model learns from many. */
inline constexpr trial::MeasureOptions data_set_measuring{.repeats = 3, .min_repeat_seconds = 0.005};

/** The tuner that explores for data sets, with the settings of One-Shot Tuner, section 5. */
inline constexpr std::string_view data_set_tuner = "xgb";

/** A user's request for a data set: names and numbers, unchecked. */
struct DataSetRequest {
  std::string template_name;
  std::string target = "cpu";
  /**
   * Networks of the catalogue, prefixes of its tasks ("heron"), and files that LayerTable::read() accepts;
   * empty: all networks, and for multiplications the lists of multiplications too.
   */
  std::vector<std::string> layers = {};
  task::Sampling sampling = task::Sampling::Prior;
  std::size_t tasks = 60;
  std::int64_t trials = 128;               ///< trials of each task
  double max_gflop = 0;                    ///< tasks with more are not drawn; 0: no limit
  std::vector<std::string> held_out = {};  ///< networks and tasks whose shapes are not drawn
  std::string tuner{data_set_tuner};
  /** Overrides the default settings of data sets: features=curve and loss=regression of data_set_tuner. */
  std::map<std::string, std::string> settings = {};
  trial::MeasureOptions measuring = data_set_measuring;
  std::uint64_t seed = 1;  ///< seed of the drawn tasks and of the sessions
  std::string name = {};   ///< empty: derived from the template
};

/** A data set that can be stored as a study, with a record of how its tasks were drawn. */
struct DataSetPlan {
  Definition study;
  task::SampledTasks sampled;
  std::size_t layers = 0;  ///< number of different layers of the template's kind from which tasks were drawn
};

/**
 * Draws the tasks and plans a session for each. Returns an error for an unknown template, network, prefix or
 * file; for layers that the template does not support; or for too few different tasks (see sample_tasks()).
 * @param target the target of the kernels, which determines the tasks that the template supports
 */
Result<DataSetPlan> plan_data_set(const DataSetRequest& request, const task::Catalogue& catalogue,
                                  const schedule::TargetDescription& target);

/** Describes for users how the tasks were drawn: "60 tasks from 161 layers, 21 of them not among these
 * layers; ...". */
std::string sampling_text(const DataSetPlan& plan);

}  // namespace kernelscape::study
