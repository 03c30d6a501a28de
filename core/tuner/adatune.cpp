#include <algorithm>
#include <limits>

#include "core/surrogate/expected_improvement.h"
#include "core/tuner/declaration.h"
#include "core/tuner/forest_model.h"
#include "core/tuner/planned_search.h"

namespace kernelscape::tuner {
namespace {

/// FLOP/s per GFLOP/s. Fitness in 1/seconds is scaled in the same way: annealing is as greedy there.
constexpr double flops_per_gflop = 1e9;

struct AdaTuneSettings {
  PlanSettings plan{.plan_size = 32, .annealing = {.chains = 64}};
  bool searches_for_mean = false;
  bool scores_in_flops = true;
  bool contextual = true;
  double epsilon = 0.05;
  std::size_t epsilon_samples = 20;
  surrogate::ForestOptions forest{.constant_columns = surrogate::ConstantColumns::Counted};
  std::size_t features_per_split = 10;
  std::size_t history_minimum = 32;

  static SettingsOf<AdaTuneSettings> table() {
    const std::string code = "AdaTune, RFTuner";
    return SettingsOf<AdaTuneSettings>()
        .group(&AdaTuneSettings::plan, PlanSettings::table(code))
        .choice("acquisition", &AdaTuneSettings::searches_for_mean,
                {{"expected improvement", false}, {"mean", true}},
                "score that annealing maximizes: expected improvement over the best, or the predicted mean",
                "AdaTune, equation 1")
        .choice("score_unit", &AdaTuneSettings::scores_in_flops,
                {{"flops", true}, {"relative to the best", false}},
                "unit of the score that annealing maximizes; with flops, annealing at temperature 1 or less "
                "almost never accepts a worse score",
                code)
        .choice("epsilon_rule", &AdaTuneSettings::contextual, {{"contextual", true}, {"fixed", false}},
                "random share of a plan: the mean predicted deviation over the best, or the setting epsilon",
                "AdaTune, equation 3; fixed: RFEI + SA of section 5.3")
        .add("epsilon", &AdaTuneSettings::epsilon, 0, 1, "of a plan",
             "share of random candidates at the end of a plan, rounded down; with contextual only for a plan "
             "from history alone",
             code)
        .add("epsilon_samples", &AdaTuneSettings::epsilon_samples, 1, 100'000, "",
             "number of unmeasured configurations whose mean deviation gives the contextual epsilon",
             "AdaTune, Algorithm 1; K = 20 in " + code)
        .add("trees", submember(&AdaTuneSettings::forest, &surrogate::ForestOptions::trees), 1, 10'000, "",
             "number of trees of the random forest", code)
        .add("features_per_split", &AdaTuneSettings::features_per_split, 1, 1'000'000, "features",
             "features drawn for each split of a tree, at most all", code)
        .choice("constant_features",
                submember(&AdaTuneSettings::forest, &surrogate::ForestOptions::constant_columns),
                {{"counted", surrogate::ConstantColumns::Counted},
                 {"skipped", surrogate::ConstantColumns::Skipped}},
                "a feature that is constant over a node's trials counts as drawn, as long as another one was "
                "drawn as well, or another one is drawn in its place",
                "scikit-learn")
        .before("skipped")
        .add("minimum_leaf", submember(&AdaTuneSettings::forest, &surrogate::ForestOptions::minimum_leaf), 1,
             1'000'000, "trials", "minimum number of trials in a leaf of a tree", "scikit-learn's default")
        .add("history_minimum", &AdaTuneSettings::history_minimum, 1, 1'000'000'000, "trials",
             "minimum number of trials of other sessions in this space to train the first forest", "ours");
  }
};

surrogate::ForestOptions seeded_forest(const Context& context, surrogate::ForestOptions options) {
  options.seed = context.random.fork("forest").seed();
  return options;
}

/**
 * AdaTune (section 4.2, Algorithm 1): plans of the maxima of the expected improvement under a random forest.
 * A share of each plan, which grows with the forest's uncertainty, is random.
 */
class AdaTuneTuner final : public Tuner {
 public:
  AdaTuneTuner(const Context& context, std::shared_ptr<const space::FeatureExtractor> features)
      : settings_(read_settings<AdaTuneSettings>(context.settings)),
        epsilon_(settings_.epsilon),
        search_(context, settings_.plan),
        model_(std::move(features), seeded_forest(context, settings_.forest), settings_.features_per_split) {}

  /** Trains on the history and makes the first plan from it, with the initial epsilon. */
  Status start(const Context& context) {
    if (!model_.learn_history(context, settings_.history_minimum)) return {};
    TRY(model_.fit());
    return plan();
  }

  Result<Proposal> propose(std::size_t n) override {
    if (search_.fit_due(model_.size(), model_.best_fitness())) {
      TRY(model_.fit());
      search_.count_fit();
      if (settings_.contextual) adapt_epsilon();
      TRY(plan());
    }
    Proposal proposal = search_.take(n);
    const auto* candidates = std::get_if<std::vector<space::Configuration>>(&proposal);
    proposed_ = candidates != nullptr ? *candidates : std::vector<space::Configuration>{};
    return proposal;
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) model_.add(observation);
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    if (position >= proposed_.size() || !model_.ready()) return {};
    // Until the next proposal, the forest is the one that made this proposal.
    const surrogate::ForestEstimate estimate = model_.estimate(proposed_[position]);
    std::vector<trial::SeriesValue> values{{"epsilon", epsilon_},
                                           {"predicted_mean", estimate.mean},
                                           {"predicted_deviation", estimate.deviation},
                                           {"expected_improvement", improvement(estimate)}};
    search_.drawn().report(values);
    return values;
  }

 private:
  double improvement(const surrogate::ForestEstimate& estimate) const {
    return surrogate::expected_improvement(estimate.mean, estimate.deviation, best_);
  }

  void adapt_epsilon() {
    const std::vector<space::Configuration> unmeasured = search_.sample_unvisited(settings_.epsilon_samples);
    epsilon_ = contextual_epsilon(model_.estimates(unmeasured), model_.best_fitness());
  }

  Status plan() {
    best_ = model_.best_fitness();
    return search_.plan([this](std::span<const space::Configuration> points) { return scores(points); },
                        epsilon_);
  }

  Result<std::vector<float>> scores(std::span<const space::Configuration> points) {
    constexpr double largest = std::numeric_limits<float>::max();
    const double unit = settings_.scores_in_flops ? flops_per_gflop : 1 / model_.greatest_label();
    std::vector<float> result;
    result.reserve(points.size());
    for (const surrogate::ForestEstimate& estimate : model_.estimates(points)) {
      const double fitness = settings_.searches_for_mean ? estimate.mean : improvement(estimate);
      result.push_back(static_cast<float>(std::min(fitness * unit, largest)));
    }
    return result;
  }

  AdaTuneSettings settings_;
  double epsilon_;  ///< epsilon of the plan
  PlannedSearch search_;
  ForestModel model_;
  double best_ = 0;                             ///< fitness of this session's trials when the plan was made
  std::vector<space::Configuration> proposed_;  ///< candidates of the last proposal
};

Result<std::unique_ptr<Tuner>> make_adatune_tuner(const Context& context) {
  auto features = TRY(chosen_features(context, "adatune"));
  auto tuner = std::make_unique<AdaTuneTuner>(context, std::move(features));
  TRY(tuner->start(context));
  return tuner;
}

std::vector<trial::SeriesDescription> adatune_series() {
  return {predicted_mean_series("adatune's random forest, as the mean of its trees (AdaTune, section 4.2.1)"),
          predicted_deviation_series("over the trees of adatune's random forest (AdaTune, section 4.2.1)"),
          {.name = "expected_improvement",
           .title = "Expected improvement",
           .unit = trial::SeriesUnit::Fitness,
           .meaning = "The model's expected improvement of the trial over the best so far, where a loss "
                      "counts as 0 (AdaTune, equations 1 and 2)."},
          {.name = "epsilon",
           .title = "Exploration: share of random candidates",
           .unit = trial::SeriesUnit::Share,
           .steps = true,
           .meaning =
               "Epsilon of AdaTune, equation 3: the mean predicted standard deviation of configurations that "
               "were not measured, divided by the best performance so far. This share of a plan is drawn at "
               "random. A fixed epsilon is one more hyperparameter to choose, as AdaTune's figure 4 shows."},
          member_share_series("steps of adatune's annealing")};
}

}  // namespace

Declaration adatune_tuner() {
  return {.name = "adatune",
          .summary =
              "expected improvement under a random forest; the share of random candidates follows the "
              "forest's uncertainty",
          .source = "AdaTune, sections 4.2 and 4.3",
          .default_batch = 32,
          .hyperparameters = settings_of<AdaTuneSettings>().declarations(),
          .make = make_adatune_tuner,
          .fits = [](const Context& context) { return check_features(context, "adatune"); },
          .series = adatune_series(),
          .random_phase =
              integer_of<AdaTuneSettings>(submember(&AdaTuneSettings::plan, &PlanSettings::plan_size))};
}

}  // namespace kernelscape::tuner
