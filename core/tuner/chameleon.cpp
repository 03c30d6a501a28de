#include <algorithm>
#include <functional>

#include "core/surrogate/policy_learner.h"
#include "core/tuner/adaptive_sampling.h"
#include "core/tuner/cost_model.h"
#include "core/tuner/planned_search.h"

namespace kernelscape::tuner {
namespace {

/// The model is only fitted once a trial reached this fitness (AutoTVM).
constexpr double min_fitness_to_fit = 1e-6;

/** What an action does to the index of a knob's value, in the order of the policy's choices. */
enum class KnobMove : std::size_t { Decrease, Stay, Increase };
constexpr std::size_t knob_moves = 3;

/** The trials of a plan: representatives of the candidates, or all candidates. */
enum class PlanSampling : std::uint8_t { Adaptive, None };

struct ChameleonSettings {
  FeatureSettings features = {};
  std::size_t plan_size = 64;
  double random_share = 0.05;
  std::size_t episodes = 128;
  std::int64_t steps = 500;
  double settled_share = 0.75;
  std::size_t hidden = 20;
  double temperature = 0.1;
  surrogate::PolicyLearning policy = {};
  PlanSampling sampling = PlanSampling::Adaptive;
  AdaptiveSampling clusters = {};
  BoostingSettings boosting = {.parameters = {.objective = surrogate::BoostingObjective::Regression}};

  static SettingsOf<ChameleonSettings> table() {
    const std::string tuner = "Chameleon's program, ModelBasedTuner";
    return SettingsOf<ChameleonSettings>()
        .group(&ChameleonSettings::features, FeatureSettings::table())
        .add("plan_size", &ChameleonSettings::plan_size, 1, 100'000, "configurations",
             "number of candidates that the search finds, and number of random first trials", tuner)
        .add("random_share", &ChameleonSettings::random_share, 0, 1, "of plan_size",
             "number of random trials at the end of a plan, rounded down", tuner)
        .group([](auto& settings) -> auto& { return settings; }, search_table())
        .group([](auto& settings) -> auto& { return settings; }, sampling_table())
        .group(&ChameleonSettings::boosting, BoostingSettings::table(BoostingProgram::AutoTvm));
  }

  /** Returns the settings of adaptive exploration. */
  static SettingsOf<ChameleonSettings> search_table() {
    const std::string search = "Chameleon's program, ReinforcementLearningOptimizer";
    const std::string agent = "Chameleon, section 3.1; its program, PPOAgent";
    const auto policy = [](auto member) { return submember(&ChameleonSettings::policy, member); };
    const auto objective = [policy](auto member) {
      return submember(policy(&surrogate::PolicyLearning::objective), member);
    };
    return SettingsOf<ChameleonSettings>()
        .add("episodes", &ChameleonSettings::episodes, 1, 100'000, "",
             "number of walks from random configurations for a plan", search + " (parallel_size)")
        .add("steps", &ChameleonSettings::steps, 1, 1'000'000, "", "largest number of steps of an episode",
             search + " (n_iter)")
        .add("settled_share", &ChameleonSettings::settled_share, 0, 1, "of the knobs",
             "share of knobs that stay, or move to their first or last value, at which an episode ends",
             "Chameleon's program, rl_walk")
        .add("hidden", &ChameleonSettings::hidden, 1, 500, "units",
             "size of the hidden layers of policy and value", "Chameleon's program, PolicyWithValue")
        .add("temperature", &ChameleonSettings::temperature, 1e-3, 1e3, "",
             "divides the inputs of the last layer of the policy", "Chameleon's program, PolicyWithValue")
        .add("policy_learning_rate", policy(&surrogate::PolicyLearning::learning_rate), 1e-9, 10, "",
             "learning rate of Adam", agent)
        .add("epochs", policy(&surrogate::PolicyLearning::epochs), 1, 100'000, "steps",
             "number of steps of Adam after an episode", agent)
        .add("policy_batch", policy(&surrogate::PolicyLearning::batch), 1, 100'000, "steps",
             "number of steps of the episode, drawn with replacement, in a step of Adam", agent)
        .add("discount", policy(&surrogate::PolicyLearning::discount), 0, 1, "",
             "gamma: weight of the next reward", agent)
        .add("advantage_lambda", policy(&surrogate::PolicyLearning::lambda), 0, 1, "",
             "lambda of the generalized advantage", agent)
        .add("clip", objective(&surrogate::PolicyObjective::clip), 0, 1, "",
             "epsilon: largest change of a probability's ratio that the objective rewards", agent)
        .add("value_weight", objective(&surrogate::PolicyObjective::value_weight), 0, 1e6, "",
             "c1: weight of the squared error of the value", agent)
        .add("entropy_weight", objective(&surrogate::PolicyObjective::entropy_weight), 0, 1e6, "",
             "c2: weight of the entropy of the policy", agent);
  }

  /** Returns the settings of adaptive sampling. */
  static SettingsOf<ChameleonSettings> sampling_table() {
    const std::string sampler = "Chameleon, algorithm 1; its program, AdaptiveSampler";
    const auto clusters = [](auto member) { return submember(&ChameleonSettings::clusters, member); };
    return SettingsOf<ChameleonSettings>()
        .choice("sampling", &ChameleonSettings::sampling,
                {{"adaptive", PlanSampling::Adaptive}, {"none", PlanSampling::None}},
                "measures representatives of the candidates, or all of them",
                "Chameleon, algorithm 1; its RLTuner: none, since it does not pass the sampler on")
        .add("cluster_step", clusters(&AdaptiveSampling::cluster_step), 1, 100'000, "clusters",
             "numbers of clusters that are tried are multiples of this", sampler)
        .add("knee", clusters(&AdaptiveSampling::knee), 1, 1e6, "",
             "factor by which the loss has to fall for more clusters to be tried", sampler + " (threshold)")
        .add("cluster_iterations", clusters(&AdaptiveSampling::iterations), 1, 1'000'000, "",
             "largest number of iterations of k-means", sampler + " (max_iter)");
  }
};

surrogate::PolicyShape policy_shape(const Context& context, const ChameleonSettings& settings) {
  const std::size_t knobs = context.space.knobs().size();
  return {.inputs = knobs,
          .hidden = settings.hidden,
          .heads = knobs,
          .choices = knob_moves,
          .temperature = settings.temperature};
}

/**
 * Chameleon (Ahn et al. 2020): a policy, which PPO trains on the predictions of AutoTVM's boosted trees,
 * walks through the space (section 3.1, adaptive exploration); of the best configurations that it reached,
 * the centroids of clusters are measured (section 3.2, adaptive sampling). A visited centroid is replaced by
 * the most frequent value of each knob. Ours: so is a centroid that is no member, and if that is visited or
 * no member either, the nearest candidate is taken; a step to a configuration that is no member stays where
 * it was, with the reward 0 of a failed trial; a plan is measured from the highest prediction to the lowest.
 */
class ChameleonTuner final : public Tuner {
 public:
  ChameleonTuner(const Context& context, std::shared_ptr<const space::FeatureExtractor> features)
      : space_(context.space),
        settings_(read_settings<ChameleonSettings>(context.settings)),
        random_(context.random.fork("walks")),
        search_(context, PlanSettings{.plan_size = settings_.plan_size}),
        model_(std::move(features), settings_.boosting.parameters, context.random.fork("cost model")),
        policy_(policy_shape(context, settings_), settings_.policy, context.random.fork("policy")),
        measured_(context.space),
        next_fit_(settings_.plan_size) {
    settings_.boosting.rounds.recall_at = settings_.plan_size;
    settings_.clusters.max_clusters = settings_.plan_size;
  }

  Result<Proposal> propose(std::size_t n) override {
    if (model_.size() >= next_fit_ && model_.best_fitness() > min_fitness_to_fit) {
      TRY(model_.fit(settings_.boosting.rounds));
      TRY(plan());
    }
    const std::size_t until_fit = next_fit_ > model_.size() ? next_fit_ - model_.size() : n;
    return search_.take(std::min(n, until_fit));
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) {
      model_.add(observation);
      measured_.insert(observation.configuration);
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
  /** Plans the trials until the next fit: representatives of the candidates, then random ones. */
  Status plan() {
    std::vector<ScoredConfiguration> trials = TRY(explore());
    if (settings_.sampling == PlanSampling::Adaptive && !trials.empty()) trials = TRY(represent(trials));
    // Where few candidates are left, the rest of a plan is random, so that the model is not fitted for each.
    next_fit_ = model_.size() + std::max(trials.size(), settings_.clusters.cluster_step);
    const auto random =
        static_cast<std::size_t>(settings_.random_share * static_cast<double>(settings_.plan_size));
    trials.resize(trials.size() - std::min(trials.size(), random));
    search_.follow(std::move(trials));
    return {};
  }

  /** A walk of the policy. */
  struct Walk {
    std::vector<surrogate::PolicyStep> steps;
    std::vector<space::Configuration> reached;  ///< members that steps led to
    std::vector<std::size_t> leading_steps;     ///< for each of `reached` the number of its step
  };

  /** Returns the configurations with the highest predictions that walks reached, at most `plan_size`. */
  Result<std::vector<ScoredConfiguration>> explore() {
    drawn_ = {};
    const auto walks = static_cast<std::int64_t>(settings_.episodes);
    const std::vector<space::Configuration> starts = space_.random_members(walks, random_);
    std::vector<ScoredConfiguration> found;
    ConfigurationSet known = measured_;
    keep_unknown(starts, TRY(scores_of(starts)), known, found);
    for (const space::Configuration& start : starts) {
      Walk one = walk(start);
      const std::vector<float> scores = TRY(scores_of(one.reached));
      for (std::size_t i = 0; i < scores.size(); ++i)
        one.steps[one.leading_steps[i]].reward = static_cast<double>(scores[i]);
      policy_.learn(one.steps);
      keep_unknown(one.reached, scores, known, found);
    }
    std::ranges::stable_sort(found, std::greater{}, &ScoredConfiguration::score);
    found.resize(std::min(found.size(), settings_.plan_size));
    return found;
  }

  Result<std::vector<float>> scores_of(std::span<const space::Configuration> configurations) const {
    if (configurations.empty()) return std::vector<float>{};
    return model_.predict(configurations);
  }

  static void keep_unknown(std::span<const space::Configuration> configurations,
                           std::span<const float> scores, ConfigurationSet& known,
                           std::vector<ScoredConfiguration>& found) {
    for (std::size_t i = 0; i < configurations.size(); ++i)
      if (known.insert(configurations[i])) found.push_back({configurations[i], scores[i]});
  }

  /** Walks until most knobs settle. The steps have no rewards yet. */
  Walk walk(space::Configuration at) {
    Walk walk;
    const double enough = settings_.settled_share * static_cast<double>(space_.knobs().size());
    for (std::int64_t number = 0; number < settings_.steps; ++number) {
      walk.steps.push_back(policy_.act(state_of(at)));
      space::Configuration next = at;
      const std::size_t settled = move_knobs(next, walk.steps.back().actions);
      const bool member = space_.contains(next);
      drawn_.count(member);
      if (member) {
        at = std::move(next);
        walk.reached.push_back(at);
        walk.leading_steps.push_back(walk.steps.size() - 1);
      }
      if (static_cast<double>(settled) >= enough) break;
    }
    return walk;
  }

  /** Returns for each knob the index of its value as a share of the number of values. */
  std::vector<double> state_of(const space::Configuration& configuration) const {
    std::vector<double> state;
    for (std::size_t knob = 0; knob < space_.knobs().size(); ++knob)
      state.push_back(configuration.indices[knob] / static_cast<double>(space_.knobs()[knob].count()));
    return state;
  }

  /** Moves each knob by its action. @return how many stay, or moved to their first or last value */
  std::size_t move_knobs(space::Configuration& configuration, std::span<const std::size_t> actions) const {
    std::size_t settled = 0;
    for (std::size_t knob = 0; knob < actions.size(); ++knob) {
      std::uint32_t& index = configuration.indices[knob];
      const std::uint32_t last = space_.knobs()[knob].count() - 1;
      const auto move = KnobMove{actions[knob]};
      if (move == KnobMove::Decrease && index > 0) --index;
      if (move == KnobMove::Increase && index < last) ++index;
      const bool at_end = index == (move == KnobMove::Decrease ? 0 : last);
      settled += move == KnobMove::Stay || at_end ? 1 : 0;
    }
    return settled;
  }

  /** Returns an unvisited member for each cluster of the candidates, from the highest prediction on. */
  Result<std::vector<ScoredConfiguration>> represent(std::span<const ScoredConfiguration> candidates) {
    std::vector<space::Configuration> points;
    for (const ScoredConfiguration& candidate : candidates) points.push_back(candidate.configuration);
    const Clusters clusters = clusters_at_knee(points, settings_.clusters, base::Random(random_.bits()));
    const space::Configuration mode = mode_of(points);
    ConfigurationSet planned = measured_;
    std::vector<space::Configuration> chosen;
    for (const space::Configuration& centroid : clusters.centroids) {
      chosen.push_back(is_free(centroid, planned) ? centroid
                       : is_free(mode, planned)   ? mode
                                                  : nearest_free(centroid, points, planned));
      planned.insert(chosen.back());
    }
    const std::vector<float> scores = TRY(scores_of(chosen));
    std::vector<ScoredConfiguration> plan;
    for (std::size_t i = 0; i < chosen.size(); ++i) plan.push_back({chosen[i], scores[i]});
    std::ranges::stable_sort(plan, std::greater{}, &ScoredConfiguration::score);
    return plan;
  }

  bool is_free(const space::Configuration& configuration, const ConfigurationSet& planned) const {
    return space_.contains(configuration) && !planned.contains(configuration);
  }

  /** Returns the unplanned candidate that is nearest. There is one: clusters are no more than candidates. */
  static space::Configuration nearest_free(const space::Configuration& centroid,
                                           std::span<const space::Configuration> candidates,
                                           const ConfigurationSet& planned) {
    const space::Configuration* nearest = nullptr;
    for (const space::Configuration& candidate : candidates) {
      if (planned.contains(candidate)) continue;
      if (nearest == nullptr || squared_distance(candidate, centroid) < squared_distance(*nearest, centroid))
        nearest = &candidate;
    }
    return *nearest;
  }

  space::SearchSpace space_;
  ChameleonSettings settings_;
  base::Random random_;
  PlannedSearch search_;
  CostModel model_;
  surrogate::PolicyLearner policy_;
  ConfigurationSet measured_;
  std::size_t next_fit_;  ///< number of trials at which the model is fitted again
  DrawnChildren drawn_;   ///< the steps of the last plan's walks
};

Result<std::unique_ptr<Tuner>> make_chameleon_tuner(const Context& context) {
  auto features = TRY(chosen_features(context, "chameleon"));
  return std::make_unique<ChameleonTuner>(context, std::move(features));
}

}  // namespace

Declaration chameleon_tuner() {
  return {.name = "chameleon",
          .summary =
              "walks of a policy that learns from a cost model (PPO), of whose maxima centroids are measured",
          .source = "Chameleon, section 3",
          .default_batch = 64,
          .hyperparameters = settings_of<ChameleonSettings>().declarations(),
          .make = make_chameleon_tuner,
          .fits = [](const Context& context) { return check_features(context, "chameleon"); },
          .series = {predicted_score_series("chameleon's boosted trees, as a share of the best (Chameleon)"),
                     member_share_series("steps of chameleon's walks")},
          .random_phase = integer_of<ChameleonSettings>(&ChameleonSettings::plan_size)};
}

}  // namespace kernelscape::tuner
