#pragma once

#include <QTemporaryDir>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/study/training_run.h"
#include "core/trial/measure_options.h"
#include "core/trial/recording.h"
#include "tests/predictor/synthetic_data.h"

/** Recorded spaces of templates, as trainings and their tests need them. */
namespace kernelscape::study_tests {

/** Performance of a configuration: what a made-up measurement takes as long as. */
using MadeFitness = std::function<double(const ScheduledKernel&, const Configuration&)>;

/** A recorded space of these members. @param change of the header, before it is written @return its path */
inline std::string write_members(const QTemporaryDir& folder, const std::string& name,
                                 const ScheduledKernel& kernel, const std::vector<Configuration>& members,
                                 const MadeFitness& fitness = predictor_tests::synthetic_fitness,
                                 const std::function<void(RecordingHeader&)>& change = {}) {
  RecordingHeader header;
  header.name = name;
  header.origin = "made for a test";
  header.task_json = task_to_json(kernel.task());
  header.target_name = "cpu";
  header.target_json = target_to_json(kernel.target());
  header.template_name = kernel.template_name();
  header.template_version = kernel.template_version();
  header.options_json = measure_options_to_json(MeasureOptions{});
  if (change) change(header);
  RecordingBuilder builder(header, kernel.space());
  for (const Configuration& member : members) {
    Measurement measurement;
    const double made = fitness(kernel, member);
    if (made > 0) {
      measurement.samples_seconds = {kernel.task().flops() / made};
    } else {
      measurement.category = ErrorCategory::RunTimeout;
      measurement.message = "made up";
    }
    if (const Status added = builder.add(member, measurement); !added)
      qFatal("%s", describe(added.error()).c_str());
  }
  const std::string path = folder.filePath(QString::fromStdString(name + ".ksrec")).toStdString();
  const auto recording = predictor_tests::value_of(builder.build());
  if (const Status written = write_file_atomically(path, recording->bytes()); !written)
    qFatal("%s", describe(written.error()).c_str());
  return path;
}

/** Recorded spaces of several multiplications, as sources of a data set. */
inline std::vector<std::string> write_samples(const QTemporaryDir& folder, std::size_t tasks,
                                              std::size_t samples, Random& random) {
  const DataSet data = predictor_tests::synthetic_data(tasks, samples, random);
  std::vector<std::string> sources;
  for (const TaskSamples& task : data.tasks) {
    const ScheduledKernel kernel = predictor_tests::kernel_of(task.task.text);
    const std::string name = fmt::format("task-{}", sources.size());
    sources.push_back("recorded:" + write_members(folder, name, kernel, task.configurations));
  }
  return sources;
}

/** Small enough for a debug build; these go over them. */
inline std::map<std::string, std::string> small_training(std::map<std::string, std::string> settings = {}) {
  settings.merge(std::map<std::string, std::string>{{"width", "8"},
                                                    {"layers", "1"},
                                                    {"heads", "2"},
                                                    {"feed_forward", "16"},
                                                    {"epochs", "4"},
                                                    {"batch_size", "16"}});
  return settings;
}

/** Notes what a training tells, and calls back. */
class TrainingNotes final : public TrainingObserver {
 public:
  void begun(const TrainingFacts& now) override { facts = now; }
  void epoch(const TrainingEpoch& epoch, std::int64_t, double seconds_left) override {
    epochs.push_back(epoch);
    last_seconds_left = seconds_left;
    if (on_epoch) on_epoch();
  }

  std::function<void()> on_epoch;
  TrainingFacts facts;
  std::vector<TrainingEpoch> epochs;
  double last_seconds_left = -1;
};

}  // namespace kernelscape::study_tests
