#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "core/schedule/loop_features.h"
#include "core/surrogate/expected_improvement.h"
#include "core/surrogate/nearest_neighbours.h"
#include "core/task/catalogue.h"
#include "core/tuner/cost_model.h"
#include "core/tuner/forest_model.h"
#include "core/tuner/tuner.h"

namespace kernelscape {
namespace {

/** As large and as shaped as the packed convolution of a ResNet-18 layer: nine knobs, 352,836,000
 * configurations. */
space::SearchSpace packed_convolution_space() {
  const auto numbers = [](std::string name, std::int64_t count) {
    std::vector<space::KnobValue> values;
    for (std::int64_t i = 1; i <= count; ++i) values.emplace_back(i);
    return *space::Knob::ordinal(std::move(name), std::move(values));
  };
  return *space::SearchSpace::make(
      {*space::Knob::factorization("tile_oc", 512, 3), *space::Knob::factorization("tile_oh", 28, 2),
       *space::Knob::factorization("tile_ow", 28, 3), *space::Knob::factorization("tile_ic", 512, 3),
       numbers("unroll_kernel", 3), numbers("unroll_input", 5),
       *space::Knob::permutation("order", {"ic", "oh", "oc"}), numbers("vector", 3), numbers("prefetch", 4)});
}

double smooth_fitness(const space::Configuration& configuration) {
  double fitness = 100;
  for (const std::uint32_t index : configuration.indices)
    fitness *= 1 - 0.01 * std::abs(static_cast<double>(index) - 5);
  return std::max(0.0, fitness);
}

std::unique_ptr<tuner::Tuner> make_tuner(const std::string& name, const space::SearchSpace& space) {
  const tuner::Declaration& declaration = **tuner::find_tuner(name);
  return std::move(*declaration.make({.space = space,
                                      .task = {},
                                      .features = {},
                                      .history = {},
                                      .trial_budget = 0,
                                      .settings = *tuner::parse_settings(declaration, {}),
                                      .random = base::Random(1)}));
}

/** One batch of a tuner. @return its candidates */
std::int64_t step(tuner::Tuner& tuner, std::size_t batch) {
  const auto proposal = tuner.propose(batch);
  std::vector<trial::Observation> observations;
  for (const space::Configuration& candidate : std::get<std::vector<space::Configuration>>(*proposal)) {
    observations.push_back({candidate, smooth_fitness(candidate), trial::ErrorCategory::NoError});
  }
  tuner.observe(observations);
  return static_cast<std::int64_t>(observations.size());
}

std::vector<trial::Observation> random_observations(const space::SearchSpace& space, std::int64_t count) {
  base::Random random(2);
  std::vector<trial::Observation> observations;
  for (std::int64_t i = 0; i < count; ++i) {
    const space::Configuration member = *space.random_member(random);
    observations.push_back({member, smooth_fitness(member), trial::ErrorCategory::NoError});
  }
  return observations;
}

/** Time per proposed candidate of propose + observe, with 10,000 observations and more. */
void nose_per_candidate(benchmark::State& state) {
  const auto tuner = make_tuner("nose", packed_convolution_space());
  for (std::int64_t observed = 0; observed < 10'000;) observed += step(*tuner, 30);
  std::int64_t candidates = 0;
  for (auto _ : state) candidates += step(*tuner, 30);
  state.counters["per_candidate"] = benchmark::Counter(
      static_cast<double>(candidates), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
// Few steps: the number of observations should stay near 10,000.
BENCHMARK(nose_per_candidate)->Iterations(60)->Unit(benchmark::kMillisecond);

/** One estimate among random points, the worst case: there are no clusters. */
void nearest_neighbours_estimate(benchmark::State& state) {
  const space::SearchSpace space = packed_convolution_space();
  surrogate::NearestNeighbours surrogate(space.knobs().size(), 9, surrogate::ZeroDistance::Measured);
  const auto observations = random_observations(space, state.range(0));
  std::vector<std::vector<double>> queries;
  for (const trial::Observation& observation : observations) {
    queries.emplace_back(observation.configuration.indices.begin(), observation.configuration.indices.end());
    surrogate.add(queries.back(), observation.fitness);
    for (double& coordinate : queries.back()) coordinate += 0.5;
  }
  std::size_t query = 0;
  for (auto _ : state) benchmark::DoNotOptimize(surrogate.estimate(queries[query++ % queries.size()]));
}
BENCHMARK(nearest_neighbours_estimate)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMicrosecond);

tuner::CostModel filled_model(const space::SearchSpace& space, std::int64_t trials) {
  tuner::CostModel model(std::make_shared<space::KnobFeatures>(space), {}, base::Random(3));
  for (const trial::Observation& observation : random_observations(space, trials)) model.add(observation);
  return model;
}

void boosting_fit(benchmark::State& state) {
  const space::SearchSpace space = packed_convolution_space();
  tuner::CostModel model = filled_model(space, state.range(0));
  for (auto _ : state) {
    if (!model.fit({})) state.SkipWithError("no fit");
  }
}
BENCHMARK(boosting_fit)->Arg(512)->Arg(4096)->Unit(benchmark::kMillisecond);

/** As many configurations as annealing scores at once. */
void boosting_predict(benchmark::State& state) {
  const space::SearchSpace space = packed_convolution_space();
  tuner::CostModel model = filled_model(space, 1024);
  if (!model.fit({})) state.SkipWithError("no fit");
  std::vector<space::Configuration> configurations;
  for (const trial::Observation& observation : random_observations(space, 128)) {
    configurations.push_back(observation.configuration);
  }
  for (auto _ : state) benchmark::DoNotOptimize(model.predict(configurations));
}
BENCHMARK(boosting_predict)->Unit(benchmark::kMicrosecond);

/** A plan of 64 trials: fit, annealing, proposal. */
void xgb_plan(benchmark::State& state) {
  const auto tuner = make_tuner("xgb", packed_convolution_space());
  for (int plan = 0; plan < 8; ++plan) step(*tuner, 64);
  for (auto _ : state) step(*tuner, 64);
}
BENCHMARK(xgb_plan)->Iterations(4)->Unit(benchmark::kMillisecond);

/** Trials of a packed convolution by their loop nests, as many as a long session has; a tenth are errors. */
struct LoopTrials {
  schedule::ScheduledKernel kernel = *schedule::apply_template(
      *task::Catalogue::load_default()->find("resnet18/C6"), schedule::TargetDescription{}, "conv2d-packed");
  std::shared_ptr<const space::FeatureExtractor> features = schedule::itervar_features(kernel);
  tuner::FeatureRows rows{features};
  std::vector<double> fitness;

  explicit LoopTrials(std::int64_t count) {
    for (const trial::Observation& observation : random_observations(kernel.space(), count)) {
      rows.add(observation.configuration);
      fitness.push_back(fitness.size() % 10 == 0 ? 0 : observation.fitness);
    }
  }

  /** With adatune's settings. */
  Result<surrogate::RandomForest> forest() const {
    const double share = 10 / static_cast<double>(rows.columns());
    return surrogate::RandomForest::train({rows.values(), rows.columns(), fitness},
                                          {.features_per_split = share});
  }
  std::string label() const { return std::to_string(rows.columns()) + " columns"; }
};

void forest_fit(benchmark::State& state) {
  const LoopTrials trials(state.range(0));
  state.SetLabel(trials.label());
  for (auto _ : state) {
    if (!trials.forest()) state.SkipWithError("no forest");
  }
}
BENCHMARK(forest_fit)->Arg(512)->Arg(5000)->Unit(benchmark::kMillisecond);

/** Expected improvement of as many configurations as annealing scores at once, from rows or with their
 * making. */
void forest_score(benchmark::State& state) {
  const LoopTrials trials(5000);
  const auto forest = trials.forest();
  if (!forest) state.SkipWithError("no forest");
  const bool make_rows = state.range(0) == 1;
  state.SetLabel(trials.label() + (make_rows ? ", features computed" : ""));
  std::vector<space::Configuration> configurations;
  for (const trial::Observation& observation : random_observations(trials.kernel.space(), 64))
    configurations.push_back(observation.configuration);
  tuner::FeatureRows rows = trials.rows.none();
  rows.assign(configurations);
  for (auto _ : state) {
    if (make_rows) rows.assign(configurations);
    for (const surrogate::ForestEstimate& estimate : forest->estimates(rows.values()))
      benchmark::DoNotOptimize(surrogate::expected_improvement(estimate.mean, estimate.deviation, 95));
  }
  state.SetItemsProcessed(state.iterations() * 64);
}
BENCHMARK(forest_score)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/** A plan of 32 trials: fit, epsilon, annealing, proposal. */
void adatune_plan(benchmark::State& state) {
  const auto tuner = make_tuner("adatune", packed_convolution_space());
  for (int plan = 0; plan < 16; ++plan) step(*tuner, 32);
  for (auto _ : state) step(*tuner, 32);
}
BENCHMARK(adatune_plan)->Iterations(8)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kernelscape
