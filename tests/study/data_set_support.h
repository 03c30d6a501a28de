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
#include "core/trial/recording_builder.h"
#include "tests/predictor/synthetic_data.h"

/** Recorded spaces of templates, as trainings and their tests need them. */
namespace kernelscape::study_tests {

/** Performance of a configuration: what a made-up measurement takes as long as. */
using MadeFitness = std::function<double(const schedule::ScheduledKernel&, const space::Configuration&)>;

/** A recorded space of these members. @param change of the header, before it is written @return its path */
inline std::string write_members(const QTemporaryDir& folder, const std::string& name,
                                 const schedule::ScheduledKernel& kernel,
                                 const std::vector<space::Configuration>& members,
                                 const MadeFitness& fitness = predictor_tests::synthetic_fitness,
                                 const std::function<void(trial::RecordingHeader&)>& change = {}) {
  trial::RecordingHeader header;
  header.name = name;
  header.origin = "made for a test";
  header.task_json = task::task_to_json(kernel.task());
  header.target_name = "cpu";
  header.target_json = schedule::target_to_json(kernel.target());
  header.template_name = kernel.template_name();
  header.template_version = kernel.template_version();
  header.options_json = trial::measure_options_to_json(trial::MeasureOptions{});
  if (change) change(header);
  trial::RecordingBuilder builder(header, kernel.space());
  for (const space::Configuration& member : members) {
    trial::Measurement measurement;
    const double made = fitness(kernel, member);
    if (made > 0) {
      measurement.samples_seconds = {kernel.task().flops() / made};
    } else {
      measurement.category = trial::ErrorCategory::RunTimeout;
      measurement.message = "made up";
    }
    if (const Status added = builder.add(member, measurement); !added)
      qFatal("%s", describe(added.error()).c_str());
  }
  const std::string path = folder.filePath(QString::fromStdString(name + ".ksrec")).toStdString();
  const auto recording = predictor_tests::value_of(builder.build());
  if (const Status written = base::write_file_atomically(path, recording->bytes()); !written)
    qFatal("%s", describe(written.error()).c_str());
  return path;
}

/** Recorded spaces of several multiplications, as sources of a data set. */
inline std::vector<std::string> write_samples(const QTemporaryDir& folder, std::size_t tasks,
                                              std::size_t samples, base::Random& random) {
  const predictor::DataSet data = predictor_tests::synthetic_data(tasks, samples, random);
  std::vector<std::string> sources;
  for (const predictor::TaskSamples& task : data.tasks) {
    const schedule::ScheduledKernel kernel = predictor_tests::kernel_of(task.task.text);
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
class TrainingNotes final : public study::TrainingObserver {
 public:
  void begun(const study::TrainingFacts& now) override { facts = now; }
  void epoch(const predictor::TrainingEpoch& epoch, std::int64_t, double seconds_left) override {
    epochs.push_back(epoch);
    last_seconds_left = seconds_left;
    if (on_epoch) on_epoch();
  }

  std::function<void()> on_epoch;
  study::TrainingFacts facts;
  std::vector<predictor::TrainingEpoch> epochs;
  double last_seconds_left = -1;
};

}  // namespace kernelscape::study_tests
