#include "core/predictor/training_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/predictor/features.h"
#include "core/schedule/template.h"
#include "core/surrogate/worker_threads.h"

namespace kernelscape::predictor {
namespace {

using Features = std::shared_ptr<const space::FeatureExtractor>;

/** Removes slow samples from the training tasks. */
void drop_slow_from_training(DataSet& data, const std::vector<DataPart>& parts, double factor) {
  for (std::size_t task = 0; task < data.tasks.size(); ++task) {
    if (parts[task] != DataPart::Training) continue;
    DataSet alone;
    alone.tasks.push_back(std::move(data.tasks[task]));
    drop_slow_samples(alone, factor);
    data.tasks[task] = std::move(alone.tasks.front());
  }
}

Result<Features> features_of_task(const DataSet& data, const TaskSamples& task, Kind kind) {
  const TemplateVersion measured = data.template_of(task);
  const Result<schedule::ScheduledKernel> kernel =
      schedule::apply_template(task.task, data.target, measured.name);
  if (!kernel) {
    Error error = kernel.error();
    error.message = fmt::format("task {}: {}", task.task.text, error.message);
    return std::unexpected(std::move(error));
  }
  if (kernel->template_version() != measured.version) {
    return fail(ErrorCode::Refused,
                fmt::format("the samples were measured with version {} of the template {}, which has version "
                            "{} in this program",
                            measured.version, measured.name, kernel->template_version()),
                "measure them again with `kernelscape dataset`");
  }
  const auto foreign = std::ranges::find_if(
      task.configurations,
      [&](const space::Configuration& configuration) { return !kernel->space().contains(configuration); });
  if (foreign != task.configurations.end()) {
    return fail(
        ErrorCode::Refused,
        fmt::format("a sample of {} is not a feasible configuration of {}", task.task.text, measured.name),
        "measure the task again with `kernelscape dataset`");
  }
  return predictor_features(kind, *kernel);
}

Result<std::vector<Features>> features_of_tasks(const DataSet& data, Kind kind, int workers) {
  std::vector<Features> features(data.tasks.size());
  std::vector<Status> reported(data.tasks.size());
  surrogate::run_parallel(data.tasks.size(), workers, [&](std::size_t task) {
    Result<Features> made = features_of_task(data, data.tasks[task], kind);
    if (made)
      features[task] = *std::move(made);
    else
      reported[task] = std::unexpected(made.error());
    return true;
  });
  for (const Status& status : reported) TRY(Status(status));
  return features;
}

void write_rows(TrainingRows& prepared, const std::vector<Features>& features, int workers) {
  const std::size_t columns = prepared.columns();
  surrogate::run_parallel(features.size(), workers, [&](std::size_t task) {
    const std::vector<space::Configuration>& configurations = prepared.data.tasks[task].configurations;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      const std::size_t at = (prepared.tasks[task].first + i) * columns;
      features[task]->write(configurations[i], std::span(prepared.rows).subspan(at, columns));
    }
    return true;
  });
}

/**
 * Returns the factor of each task's performance before training. For "relative_fitness" it makes the best of
 * every task equal to the geometric mean of the bests of the training tasks: the model learns shares of the
 * best, but its predictions are still in FLOP/s.
 */
std::vector<float> fitness_factors(const TrainingRows& prepared, bool relative) {
  std::vector<float> factors(prepared.tasks.size(), 1.0F);
  if (!relative) return factors;
  double logarithms = 0;
  double trained = 0;
  std::vector<double> bests;
  for (std::size_t task = 0; task < prepared.tasks.size(); ++task) {
    const std::vector<float>& fitness = prepared.data.tasks[task].fitness;
    bests.push_back(fitness.empty() ? 1 : *std::ranges::max_element(fitness));
    if (prepared.parts[task] != DataPart::Training || fitness.empty()) continue;
    logarithms += std::log(bests.back());
    ++trained;
  }
  const double level = std::exp(logarithms / trained);
  for (std::size_t task = 0; task < factors.size(); ++task)
    factors[task] = static_cast<float>(level / bests[task]);
  return factors;
}

/** Computes the labels of all samples on the scale of the training samples. */
void write_labels(TrainingRows& prepared, LearntLabel label) {
  const std::vector<float> factors = fitness_factors(prepared, label == LearntLabel::RelativeFitness);
  std::vector<float> fitness;
  for (std::size_t task = 0; task < prepared.tasks.size(); ++task) {
    if (prepared.parts[task] != DataPart::Training) continue;
    for (const float value : prepared.data.tasks[task].fitness) fitness.push_back(value * factors[task]);
  }
  prepared.label_scale = label_scale(label != LearntLabel::Fitness, fitness);
  for (std::size_t task = 0; task < prepared.tasks.size(); ++task)
    for (const float value : prepared.data.tasks[task].fitness)
      prepared.labels.push_back(prepared.label_scale.label(value * factors[task]));
}

}  // namespace

std::size_t TrainingRows::samples_of(DataPart part) const {
  std::size_t samples = 0;
  for (std::size_t task = 0; task < tasks.size(); ++task)
    if (parts[task] == part) samples += tasks[task].count;
  return samples;
}

Result<TrainingRows> prepare_rows(DataSet data, const TrainingSettings& settings, const base::Random& random,
                                  int workers) {
  TRY(check_data_set(data));
  TrainingRows prepared;
  prepared.parts = TRY(split_data_set(data, settings.shares, random.fork("split")));
  drop_slow_from_training(data, prepared.parts, settings.slowest_factor);
  prepared.shape = model_shape(settings);
  prepared.data = std::move(data);
  const std::vector<Features> features = TRY(features_of_tasks(prepared.data, prepared.shape.kind, workers));

  std::size_t samples = 0;
  for (std::size_t task = 0; task < prepared.data.tasks.size(); ++task) {
    const std::size_t count = prepared.data.tasks[task].fitness.size();
    prepared.tasks.push_back({samples, count});
    for (std::size_t i = 0; i < count && prepared.parts[task] == DataPart::Training; ++i)
      prepared.training.push_back(samples + i);
    samples += count;
  }
  prepared.rows.resize(samples * prepared.columns());
  write_rows(prepared, features, workers);
  prepared.row_scale = row_scale(prepared.shape, prepared.rows, prepared.training);
  prepared.row_scale.apply(prepared.rows);
  write_labels(prepared, settings.label);
  return prepared;
}

}  // namespace kernelscape::predictor
