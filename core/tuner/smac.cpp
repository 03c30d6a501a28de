#include <algorithm>

#include "core/space/topology.h"
#include "core/surrogate/random_forest.h"
#include "core/tuner/feature_rows.h"
#include "core/tuner/log_improvement.h"
#include "core/tuner/log_scaled_times.h"
#include "core/tuner/population.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

struct SmacSettings {
  std::size_t start_points_per_knob = 10;
  double maximum_start_points = 0.1;
  double random_probability = 0.2;
  std::size_t challengers = 10'000;
  std::size_t local_searches = 10;
  surrogate::ForestOptions forest{.trees = 10};

  static SettingsOf<SmacSettings> table() {
    const std::string smac = "SMAC3, HyperparameterOptimizationFacade";
    return SettingsOf<SmacSettings>()
        .add("start_points_per_knob", &SmacSettings::start_points_per_knob, 1, 100'000, "trials",
             "number of random trials at the start, for each knob with more than one value",
             smac + " (n_configs_per_hyperparamter)")
        .add("maximum_start_points", &SmacSettings::maximum_start_points, 0, 1, "of the budget of trials",
             "largest share of random trials at the start, if the session has a budget of trials",
             smac + " (max_ratio)")
        .add("random_probability", &SmacSettings::random_probability, 0, 1, "",
             "probability that a candidate is random, between those of the model", smac + " (probability)")
        .add("challengers", &SmacSettings::challengers, 1, 10'000'000, "configurations",
             "number of random configurations among which the model looks for the largest expected "
             "improvement",
             smac)
        .add("local_searches", &SmacSettings::local_searches, 0, 100'000, "",
             "number of the best trials and of the best challengers from which the model's expected "
             "improvement is climbed",
             smac + " (local_search_iterations)")
        .add("trees", submember(&SmacSettings::forest, &surrogate::ForestOptions::trees), 1, 10'000, "",
             "number of trees of the random forest", smac + " (n_trees)")
        .add("minimum_leaf", submember(&SmacSettings::forest, &surrogate::ForestOptions::minimum_leaf), 1,
             1'000'000, "trials", "minimum number of trials in a leaf of a tree",
             smac + " (min_samples_leaf)")
        .add("feature_share", submember(&SmacSettings::forest, &surrogate::ForestOptions::features_per_split),
             0.01, 1, "of the features", "share of the features drawn for each split of a tree",
             smac + " (ratio_features)");
  }
};

/** Returns the largest number of random trials at the start that a budget of trials allows. */
std::size_t max_start_points(const SmacSettings& settings, std::int64_t trial_budget) {
  const double most = settings.maximum_start_points * static_cast<double>(trial_budget);
  return std::max<std::size_t>(1, static_cast<std::size_t>(most));
}

/** Returns the number of random trials at the start. */
std::size_t start_points(const Context& context, const SmacSettings& settings) {
  const auto knobs = static_cast<std::size_t>(
      std::ranges::count_if(context.space.knobs(), [](const space::Knob& knob) { return knob.count() > 1; }));
  const std::size_t points = std::max<std::size_t>(1, knobs * settings.start_points_per_knob);
  if (context.trial_budget <= 0) return points;
  return std::min(points, max_start_points(settings, context.trial_budget));
}

/** Returns a bound of start_points() in any space: the largest, or without a budget the smallest. */
std::int64_t random_start(const SettingValues& values, std::int64_t trial_budget) {
  const auto settings = read_settings<SmacSettings>(values);
  return static_cast<std::int64_t>(trial_budget > 0 ? max_start_points(settings, trial_budget)
                                                    : settings.start_points_per_knob);
}

std::shared_ptr<const space::FeatureExtractor> knob_features(const Context& context) {
  if (context.features.knob) return context.features.knob;
  return std::make_shared<space::KnobFeatures>(context.space);
}

surrogate::ForestOptions with_seed(surrogate::ForestOptions options, std::uint64_t seed) {
  options.seed = seed;
  return options;
}

struct Challenger {
  space::Configuration configuration;
  double improvement = 0;
};

/**
 * SMAC (Hutter, Hoos, Leyton-Brown 2011) with the defaults of SMAC3: a random forest learns the logarithm of
 * the scaled time; random members, and climbs over neighbours from the best trials and from the best of these
 * members, are ordered by expected improvement; each candidate is random with some probability, otherwise the
 * next in that order. A failed trial has the time of the slowest valid one. A batch takes the order of one
 * forest. The first trials are random members in place of a Sobol sequence, which knows no constraints.
 */
class SmacTuner final : public Tuner {
 public:
  explicit SmacTuner(const Context& context)
      : space_(context.space),
        settings_(read_settings<SmacSettings>(context.settings)),
        random_(context.random.fork("challengers")),
        visited_(context.space, context.random.fork("random members")),
        start_(initial_population(context, visited_, start_points(context, settings_))),
        rows_(knob_features(context)),
        queries_(rows_.none()),
        options_(with_seed(settings_.forest, context.random.fork("forest").seed())) {}

  Result<Proposal> propose(std::size_t n) override {
    improvements_.clear();
    if (!start_.exhausted()) return next_proposal(start_, n, visited_);
    std::vector<Challenger> order;
    if (best_ > 0) {
      TRY(fit());
      order = challengers();
    }
    std::vector<space::Configuration> candidates;
    for (std::size_t next = 0; candidates.size() < n;) {
      const bool drawn = random_.chance(settings_.random_probability);
      while (next < order.size() && visited_.contains(order[next].configuration)) ++next;
      if (!drawn && next < order.size()) {
        visited_.insert(order[next].configuration);
        candidates.push_back(order[next].configuration);
        improvements_.emplace_back(order[next].improvement);
        continue;
      }
      auto member = visited_.take_random();
      if (!member) break;
      candidates.push_back(std::move(*member));
      improvements_.emplace_back();
    }
    if (candidates.empty()) return visited_.finished();
    return candidates;
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) {
      rows_.add(observation.configuration);
      trials_.push_back(observation);
      best_ = std::max(best_, observation.fitness);
    }
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    if (position >= improvements_.size() || !improvements_[position]) return {};
    return {{"predicted_score", *improvements_[position]}};
  }

 private:
  /** Trains the forest, and takes the least time that it predicts for a trial as the one to improve on. */
  Status fit() {
    const std::vector<double> labels = log_scaled_times(trials_);
    forest_ = TRY(surrogate::RandomForest::train({rows_.values(), rows_.columns(), labels}, options_));
    const std::vector<surrogate::ForestEstimate> estimates = forest_->estimates(rows_.values());
    incumbent_ = std::ranges::min(estimates, {}, &surrogate::ForestEstimate::mean).mean;
    return {};
  }

  std::vector<double> improvements(std::span<const space::Configuration> configurations) {
    queries_.assign(configurations);
    std::vector<double> result;
    for (const surrogate::ForestEstimate& estimate : forest_->estimates(queries_.values()))
      result.push_back(log_improvement(estimate.mean, estimate.deviation, incumbent_));
    return result;
  }

  /** Returns configurations by their expected improvement, the largest first; some may be visited. */
  std::vector<Challenger> challengers() {
    const std::vector<space::Configuration> drawn =
        space_.random_members(static_cast<std::int64_t>(settings_.challengers), random_);
    std::vector<Challenger> all;
    const std::vector<double> values = improvements(drawn);
    for (std::size_t i = 0; i < drawn.size(); ++i) all.push_back({drawn[i], values[i]});
    std::ranges::stable_sort(all, std::greater{}, &Challenger::improvement);
    for (Challenger& top : local_optimums(all)) all.push_back(std::move(top));
    std::ranges::stable_sort(all, std::greater{}, &Challenger::improvement);
    return all;
  }

  /** Climbs from the best trials and from the first of the challengers. */
  std::vector<Challenger> local_optimums(std::span<const Challenger> ordered) {
    std::vector<space::Configuration> starts = best_of_history(space_, trials_, settings_.local_searches);
    for (const Challenger& one : ordered.first(std::min(ordered.size(), settings_.local_searches)))
      starts.push_back(one.configuration);
    std::vector<Challenger> optimums;
    for (const space::Configuration& start : starts) climb(start, optimums);
    return optimums;
  }

  /** Climbs to the best neighbour until none is better, and adds the unvisited ones of the last step. */
  void climb(space::Configuration at, std::vector<Challenger>& found) {
    double value = improvements({&at, 1}).front();
    while (true) {
      const std::vector<space::Configuration> around = space::neighbours(space_, at);
      if (around.empty()) break;
      const std::vector<double> values = improvements(around);
      const auto best = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
      const bool better = values[best] > value;
      for (std::size_t i = 0; i < around.size(); ++i)
        if (i == best || !better) found.push_back({around[i], values[i]});
      if (!better) break;
      at = around[best];
      value = values[best];
    }
  }

  space::SearchSpace space_;
  SmacSettings settings_;
  base::Random random_;
  Visited visited_;
  Generation start_;
  FeatureRows rows_;     ///< one per trial
  FeatureRows queries_;  ///< rows of the last predictions, kept to reuse their memory
  surrogate::ForestOptions options_;
  std::vector<trial::Observation> trials_;
  double best_ = 0;  ///< fitness of the best trial
  std::optional<surrogate::RandomForest> forest_;
  double incumbent_ = 0;                             ///< least prediction for a trial
  std::vector<std::optional<double>> improvements_;  ///< of the last proposal
};

}  // namespace

Declaration smac_tuner() {
  return {.name = "smac",
          .summary =
              "expected improvement under a random forest of logarithmic times, with random trials between",
          .source = "Hutter, Hoos, Leyton-Brown 2011, as in SMAC3",
          .default_batch = 1,
          .hyperparameters = settings_of<SmacSettings>().declarations(),
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<SmacTuner>(context);
          },
          .series = {predicted_score_series("smac's random forest, as the expected improvement (SMAC3)")},
          .starts_with_best = true,
          .random_phase = random_start};
}

}  // namespace kernelscape::tuner
