#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "core/tuner/cost_model.h"
#include "core/tuner/genes.h"
#include "core/tuner/planned_search.h"
#include "core/tuner/population.h"

namespace kernelscape::tuner {
namespace {

/// Maximum number of draws of a child that is a member, before its parent is kept.
constexpr int max_child_draws = 10;

/// Least weight of a parent, whose score may be negative.
constexpr double min_share_of_parent = 1e-6;

struct AnsorSettings {
  FeatureSettings features = {};
  std::size_t round_size = 64;
  double random_share = 0.05;
  std::size_t population = 2048;
  std::int64_t generations = 4;
  double mutation_probability = 0.85;
  double crossover_probability = 0.05;
  double measured_share = 0.2;
  surrogate::BoostingParameters trees{.objective = surrogate::BoostingObjective::Regression,
                                      .maximum_depth = 10,
                                      .minimum_split_loss = 1e-3,
                                      .minimum_child_weight = 0,
                                      .learning_rate = 0.2};
  surrogate::BoostingRounds rounds{.maximum = 10'000, .patience = 50};

  static SettingsOf<AnsorSettings> table() {
    const std::string policy = "TVM's auto_scheduler, SketchPolicy";
    const std::string model = "TVM's auto_scheduler, XGBModel";
    const auto trees = [](auto member) { return submember(&AnsorSettings::trees, member); };
    const auto rounds = [](auto member) { return submember(&AnsorSettings::rounds, member); };
    return SettingsOf<AnsorSettings>()
        .group(&AnsorSettings::features, FeatureSettings::table())
        .add("round_size", &AnsorSettings::round_size, 1, 100'000, "trials",
             "trials between two fits of the model",
             "TVM's auto_scheduler, TuningOptions (num_measures_per_round)")
        .add("random_share", &AnsorSettings::random_share, 0, 1, "of a round",
             "share of random candidates at the end of a round, rounded down", policy + " (eps_greedy)")
        .add("population", &AnsorSettings::population, 2, 1'000'000, "configurations",
             "number of individuals of a generation", policy + " (evolutionary_search_population)")
        .add("generations", &AnsorSettings::generations, 1, 1'000'000, "",
             "number of generations that are bred from the first one",
             policy + " (evolutionary_search_num_iters)")
        .add("mutation_probability", &AnsorSettings::mutation_probability, 0, 1, "",
             "probability that a child is a parent of which one knob is mutated",
             policy + " (evolutionary_search_mutation_prob)")
        .add(
            "crossover_probability", &AnsorSettings::crossover_probability, 0, 1, "",
            "probability that a child has the knobs of two parents; those that are neither are copies of one",
            "Ansor, section 5.1; its probability is ours: the published program has no crossover")
        .add("measured_share", &AnsorSettings::measured_share, 0, 1, "of the population",
             "largest share of the best trials in the first generation",
             policy + " (sample_init_use_measured_ratio)")
        .add("boosting_rounds", rounds(&surrogate::BoostingRounds::maximum), 1, 1'000'000, "trees", "at most",
             model)
        .add(
            "boosting_patience", rounds(&surrogate::BoostingRounds::patience), 1, 1'000'000, "trees",
            "number of trees without a better recall of the best trials after which no more are added",
            "ours, as AutoTVM; the number is that of " + model + ", which waits for a smaller training error")
        .add("maximum_depth", trees(&surrogate::BoostingParameters::maximum_depth), 1, 64, "",
             "largest number of splits on the path to a leaf", model)
        .add("minimum_split_loss", trees(&surrogate::BoostingParameters::minimum_split_loss), 0, 1e6, "",
             "gamma: a split has to reduce the loss by at least this", model)
        .add("minimum_child_weight", trees(&surrogate::BoostingParameters::minimum_child_weight), 0, 1e6, "",
             "least sum of second derivatives in a leaf", model)
        .add("learning_rate", trees(&surrogate::BoostingParameters::learning_rate), 1e-6, 1, "",
             "eta: factor of each tree's prediction", model);
  }
};

/**
 * Ansor's search (Zheng et al. 2020, section 5) over the knobs of a template: rounds of trials that an
 * evolutionary search finds with a cost model of boosted trees, a few of them random. Children that are no
 * members are bred again, after ten times their parent is kept. The trees learn the fitness as a share of the
 * best, failed trials 0. In the published program each trial counts by its throughput; here all count the
 * same.
 */
class AnsorTuner final : public Tuner {
 public:
  AnsorTuner(const Context& context, std::shared_ptr<const space::FeatureExtractor> features)
      : space_(context.space),
        settings_(read_settings<AnsorSettings>(context.settings)),
        random_(context.random.fork("genetic operators")),
        search_(context, PlanSettings{.plan_size = settings_.round_size}),
        model_(std::move(features), settings_.trees, context.random.fork("cost model")) {
    settings_.rounds.recall_at = settings_.round_size;
  }

  Result<Proposal> propose(std::size_t n) override {
    if (search_.fit_due(model_.size(), model_.best_fitness())) {
      TRY(model_.fit(settings_.rounds));
      search_.count_fit();
      search_.follow(TRY(evolve()));
    }
    return search_.take(n);
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) {
      model_.add(observation);
      trials_.push_back(observation);
    }
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    const std::optional<float> score = search_.score(position);
    if (!score) return {};
    std::vector<trial::SeriesValue> values{{"predicted_score", *score}};
    drawn_.report(values);
    return values;
  }

 private:
  /** Returns the configurations of all generations with the highest scores that were not measured. */
  Result<std::vector<ScoredConfiguration>> evolve() {
    drawn_ = {};
    std::unordered_map<space::Configuration, float> scores;  // only looked up
    std::vector<ScoredConfiguration> found;
    ConfigurationSet measured(space_);
    for (const trial::Observation& trial : trials_) measured.insert(trial.configuration);
    std::vector<space::Configuration> population = first_generation();
    for (std::int64_t generation = 0; !population.empty(); ++generation) {
      const std::vector<float> predicted = TRY(model_.predict(population));
      for (std::size_t i = 0; i < population.size(); ++i) {
        const bool known = !scores.emplace(population[i], predicted[i]).second;
        if (!known && !measured.contains(population[i])) found.push_back({population[i], predicted[i]});
      }
      if (generation == settings_.generations) break;
      population = next_generation(population, predicted);
    }
    std::ranges::stable_sort(found, std::greater{}, &ScoredConfiguration::score);
    const auto drawn =
        static_cast<std::size_t>(settings_.random_share * static_cast<double>(settings_.round_size));
    found.resize(std::min(found.size(), settings_.round_size - drawn));
    return found;
  }

  std::vector<space::Configuration> first_generation() {
    const double most = settings_.measured_share * static_cast<double>(settings_.population);
    std::vector<space::Configuration> population =
        best_of_history(space_, trials_, static_cast<std::size_t>(most));
    const auto missing = static_cast<std::int64_t>(settings_.population - population.size());
    for (space::Configuration& member : space_.random_members(missing, random_))
      population.push_back(std::move(member));
    return population;
  }

  std::vector<space::Configuration> next_generation(std::span<const space::Configuration> parents,
                                                    std::span<const float> scores) {
    std::vector<double> weights;
    for (const float score : scores)
      weights.push_back(std::max(min_share_of_parent, static_cast<double>(score)));
    // The sums make a draw a search in place of a walk over thousands of weights.
    std::vector<double> sums(weights.size());
    std::partial_sum(weights.begin(), weights.end(), sums.begin());
    const auto draw_parent = [&]() -> const space::Configuration& {
      const auto place = std::ranges::upper_bound(sums, random_.uniform() * sums.back());
      return parents[std::min(static_cast<std::size_t>(place - sums.begin()), parents.size() - 1)];
    };
    std::vector<space::Configuration> children;
    while (children.size() < settings_.population) {
      const space::Configuration& first = draw_parent();
      if (random_.chance(settings_.mutation_probability)) {
        children.push_back(bred(first, [&] { return random_walk(first, space_.knobs(), random_); }));
      } else if (random_.chance(crossover_share())) {
        const space::Configuration& second = draw_parent();
        children.push_back(bred(first, [&] { return mixed(first, second); }));
      } else {
        children.push_back(first);
      }
    }
    return children;
  }

  /** Returns the probability of a crossover among children that are not mutated. */
  double crossover_share() const {
    const double others = 1 - settings_.mutation_probability;
    return others > 0 ? std::min(1.0, settings_.crossover_probability / others) : 0;
  }

  /** Returns each knob of one of two parents. */
  space::Configuration mixed(const space::Configuration& first, const space::Configuration& second) {
    space::Configuration child = first;
    for (std::size_t knob = 0; knob < child.indices.size(); ++knob)
      if (random_.chance(0.5)) child.indices[knob] = second.indices[knob];
    return child;
  }

  /** Returns a child that is a member, or its parent. */
  template <typename Breed>
  space::Configuration bred(const space::Configuration& parent, Breed breed) {
    for (int draw = 0; draw < max_child_draws; ++draw) {
      space::Configuration child = breed();
      const bool member = space_.contains(child);
      if (draw == 0) drawn_.count(member);
      if (member) return child;
    }
    return parent;
  }

  space::SearchSpace space_;
  AnsorSettings settings_;
  base::Random random_;
  PlannedSearch search_;
  CostModel model_;
  std::vector<trial::Observation> trials_;
  DrawnChildren drawn_;  ///< of the last evolution
};

Result<std::unique_ptr<Tuner>> make_ansor_tuner(const Context& context) {
  auto features = TRY(chosen_features(context, "ansor"));
  return std::make_unique<AnsorTuner>(context, std::move(features));
}

}  // namespace

Declaration ansor_tuner() {
  return {
      .name = "ansor",
      .summary = "evolutionary search over a cost model of boosted trees, a few trials random",
      .source = "Ansor, section 5; TVM's auto_scheduler",
      .default_batch = 64,
      .hyperparameters = settings_of<AnsorSettings>().declarations(),
      .make = make_ansor_tuner,
      .fits = [](const Context& context) { return check_features(context, "ansor"); },
      .series = {predicted_score_series("ansor's boosted trees, as a share of the best (Ansor, section 5.2)"),
                 member_share_series("children that ansor breeds for a round")},
      .random_phase = integer_of<AnsorSettings>(&AnsorSettings::round_size)};
}

}  // namespace kernelscape::tuner
