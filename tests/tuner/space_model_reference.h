#pragma once

#include "tests/surrogate/dense_process.h"
#include "tests/tuner/model_of_space.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::testing {

/** Time rises smoothly away from a peak; some configurations fail, always the same. */
inline trial::Observation observed(const space::Configuration& configuration, double failing_share) {
  double log_time = 0;
  for (std::size_t knob = 0; knob < configuration.indices.size(); ++knob)
    log_time += std::abs(configuration.indices[knob] - 2.0) / static_cast<double>(knob + 1);
  const std::size_t hash = std::hash<space::Configuration>{}(configuration);
  log_time += static_cast<double>(hash % 1000) / 5000;
  const bool fails = static_cast<double>(hash % 97) < 97 * failing_share;
  return {configuration, fails ? 0 : 500 * std::exp(-log_time),
          fails ? trial::ErrorCategory::CompileHost : trial::ErrorCategory::NoError};
}

inline std::vector<trial::Observation> random_observations(base::Random& random,
                                                           const space::SearchSpace& space, std::size_t count,
                                                           double failing_share) {
  std::vector<trial::Observation> observations;
  for (std::size_t i = 0; i < count; ++i)
    observations.push_back(observed(*space.random_member(random), failing_share));
  return observations;
}

/** Three columns: the knob of one value is none. */
inline space::SearchSpace usual_space() { return tuner_fixture::plain_space({7, 6, 1, 8}); }

/** The correlation changes and fits begin later than by default, so that a test sees many trials before. */
inline surrogate::SpaceModelOptions late_options() { return {.exponential_from = 40, .fit_from = 100}; }

inline ModelOfSpace model_of(const space::SearchSpace& space, std::uint64_t seed = 1,
                             const surrogate::SpaceModelOptions& options = late_options()) {
  return {space::GridCoordinates(space, nullptr), options, base::Random(seed)};
}

inline ModelOfSpace model_of(const space::SearchSpace& space,
                             const std::vector<trial::Observation>& observations, std::uint64_t seed = 1,
                             const surrogate::SpaceModelOptions& options = late_options()) {
  ModelOfSpace model = model_of(space, seed, options);
  for (const trial::Observation& observation : observations) model.observe(observation);
  model.update();
  return model;
}

inline std::vector<base::GridPoint> some_points(base::Random& random, const ModelOfSpace& model,
                                                std::size_t count) {
  return random_points(random, model.coordinates().columns(), count);
}

/** Computes what SpaceModel learns from all observations at once. Values are ln time above the best one. */
class SpaceModelReference {
 public:
  SpaceModelReference(const space::GridCoordinates& coordinates,
                      const std::vector<trial::Observation>& observations) {
    for (const trial::Observation& observation : observations) {
      all_points.push_back(coordinates.of(observation.configuration));
      labels.push_back(observation.category == trial::ErrorCategory::NoError ? 1 : 0);
      if (observation.category != trial::ErrorCategory::NoError) continue;
      points.push_back(all_points.back());
      values.push_back(-std::log(observation.fitness));
    }
    if (values.empty()) return;
    best = std::ranges::min(values);
    for (double& value : values) value -= best;
    if (values.size() < 5) return;
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    const double median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
    cap = std::max(0.05, median);
    for (double& value : values) value = std::min(value, cap + 0.2 * (value - cap));
  }

  double fitness_at(double value) const {
    return std::exp(-best - (value > cap ? cap + (value - cap) / 0.2 : value));
  }

  DenseProcess performance(const surrogate::ProductKernel& kernel, double nugget) const {
    return {kernel, nugget, points, values};
  }

  DenseProcess feasibility(const space::GridCoordinates& coordinates) const {
    double valid = 0;
    for (const double label : labels) valid += label;
    const surrogate::ProductKernel kernel(coordinates.columns(), surrogate::Correlation::Exponential, 0.2,
                                          std::vector<double>(coordinates.columns().size(), 1));
    return {kernel, 1e-2, all_points, labels, (valid + 1) / (static_cast<double>(labels.size()) + 1)};
  }

  std::vector<base::GridPoint> points;      ///< of the valid trials
  std::vector<double> values;               ///< of the valid trials
  std::vector<base::GridPoint> all_points;  ///< of all trials
  std::vector<double> labels;               ///< of all trials
  double best = 0;                          ///< ln time
  double cap = std::numeric_limits<double>::infinity();
};

/** How a model differs from what follows from the observations and its kernel. Empty: not. */
inline QString difference(const ModelOfSpace& model, const std::vector<trial::Observation>& observations,
                          const std::vector<base::GridPoint>& asked) {
  const SpaceModelReference reference(model.coordinates(), observations);
  const surrogate::GaussianProcess& performance = model.performance();
  if (model.trials() != std::ssize(observations)) return "trials";
  if (model.valid_trials() != std::ssize(reference.points)) return "valid trials";
  if (performance.points() != reference.points) return "points";
  const bool has_failed = model.valid_trials() < model.trials();
  if ((model.feasibility() != nullptr) != has_failed) return "whether trials failed";
  if (reference.points.empty()) return {};

  const auto n = static_cast<double>(performance.size());
  const double tolerance = std::max(1e-8, 1e-14 * n / performance.nugget());
  const DenseProcess dense = reference.performance(performance.kernel(), performance.nugget());
  const double origin = performance.values()[0] - reference.values[0];
  for (std::size_t i = 0; i < reference.values.size(); ++i)
    if (!near(performance.values()[i] - origin, reference.values[i], tolerance)) return "values";
  if (!near(performance.mean() - origin, dense.mean(), tolerance)) return "mean";
  if (!near(performance.scale(), dense.scale(), tolerance, 1e-6)) return "scale";
  double incumbent = std::numeric_limits<double>::infinity();
  for (const base::GridPoint& point : reference.points) incumbent = std::min(incumbent, dense.mean_at(point));
  if (!near(model.incumbent() - origin, incumbent, tolerance)) return "incumbent";
  for (const base::GridPoint& point : asked) {
    const surrogate::Belief belief = model.predict(point);
    const double mean = dense.mean_at(point);
    const double fitness = reference.fitness_at(mean);
    if (!near(belief.fitness, fitness, 1e-6, 0)) return "fitness";
    const double deviation =
        std::sqrt(dense.scale() * (std::max(0.0, dense.variance_at(point)) + performance.nugget()));
    const double slope = mean > reference.cap ? 0.2 : 1;
    if (!near(belief.deviation, fitness * deviation / slope, 1e-5, fitness * 1e-3)) return "deviation";
    double feasibility = 1;
    if (has_failed)
      feasibility = std::clamp(reference.feasibility(model.coordinates()).mean_at(point), 0.01, 1.0);
    if (!near(belief.feasibility, feasibility, tolerance)) return "feasibility";
  }
  return {};
}

}  // namespace kernelscape::testing
