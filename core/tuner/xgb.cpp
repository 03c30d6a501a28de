#include <fmt/format.h>

#include <iterator>

#include "core/tuner/cost_model.h"
#include "core/tuner/declaration.h"
#include "core/tuner/feature_choice.h"
#include "core/tuner/planned_search.h"

namespace kernelscape {
namespace {

BoostingObjective objective_of(const SettingValues& settings) {
  return settings.text("loss") == "rank" ? BoostingObjective::PairwiseRank : BoostingObjective::Regression;
}

/** AutoTVM's XGBTuner: plans of the maxima of a cost model of boosted trees, refitted after each plan. */
class BoostingTuner final : public Tuner {
 public:
  BoostingTuner(const TunerContext& context, std::shared_ptr<const FeatureExtractor> features)
      : random_share_(context.settings.real("random_share")),
        search_(context),
        rounds_(boosting_rounds(context.settings, search_.plan_size())),
        model_(std::move(features), boosting_parameters(context.settings, objective_of(context.settings)),
               context.random.fork("cost model")) {}

  /** Learns the history and makes the first plan from it. */
  Status start(const TunerContext& context) {
    const auto minimum = static_cast<std::size_t>(context.settings.integer("history_minimum"));
    const auto transferred = TRY(model_.transfer(context, minimum, search_.plan_size()));
    return transferred ? plan() : Status{};
  }

  Result<Proposal> propose(std::size_t n) override {
    if (search_.fit_due(model_.size(), model_.best_fitness())) {
      TRY(model_.fit(rounds_));
      search_.count_fit();
      TRY(plan());
    }
    return search_.take(n);
  }

  void observe(std::span<const Observation> observations) override {
    for (const Observation& observation : observations) model_.add(observation);
  }

  std::vector<SeriesValue> series(std::size_t position) const override {
    const std::optional<float> score = search_.score(position);
    if (!score) return {};
    std::vector<SeriesValue> values{{"predicted_score", *score}};
    search_.drawn().report(values);
    return values;
  }

 private:
  Status plan() {
    const auto score = [this](std::span<const Configuration> points) { return model_.predict(points); };
    return search_.plan(score, random_share_);
  }

  double random_share_;
  PlannedSearch search_;
  BoostingRounds rounds_;
  CostModel model_;
};

Result<std::unique_ptr<Tuner>> make_boosting_tuner(const TunerContext& context) {
  auto features = TRY(chosen_features(context, "xgb"));
  auto tuner = std::make_unique<BoostingTuner>(context, std::move(features));
  TRY(tuner->start(context));
  return tuner;
}

/** A warm start of too few trials is nothing to this tuner. */
std::string transfer_notice(const TunerContext& context) {
  const std::int64_t minimum = context.settings.integer("history_minimum");
  if (context.history.empty() || std::ssize(context.history) >= minimum) return {};
  return fmt::format(
      "tuner xgb learns nothing from the {} trials of the warm start: it takes {}, the setting "
      "history_minimum",
      context.history.size(), minimum);
}

std::vector<HyperparameterDeclaration> xgb_settings() {
  const std::string tuner = "AutoTVM, XGBTuner";
  std::vector<HyperparameterDeclaration> settings =
      planned_search_settings({.plan_size = 64, .chains = 128, .source = tuner});
  settings.push_back(real_setting("random_share", 0.05, 0, 1, "of a plan",
                                  "random candidates at its end, rounded down", tuner));
  settings.push_back(choice_setting("loss", {"rank", "regression"},
                                    "what the trees learn: the order of fitness, or fitness", tuner));
  const std::vector<HyperparameterDeclaration> trees = boosting_settings();
  settings.insert(settings.end(), trees.begin(), trees.end());
  settings.push_back(integer_setting("history_minimum", 500, 1, 1'000'000'000, "trials",
                                     "of other sessions, from which a transferred model is learnt",
                                     "AutoTVM, XGBoostCostModel (min_seed_records)"));
  return settings;
}

}  // namespace

TunerDeclaration xgb_tuner() {
  return {
      .name = "xgb",
      .summary = "gradient-boosted trees as a cost model, searched by simulated annealing",
      .source = "AutoTVM's XGBTuner",
      .default_batch = 64,
      .hyperparameters = xgb_settings(),
      .make = make_boosting_tuner,
      .fits = [](const TunerContext& context) { return check_features(context, "xgb"); },
      .notice = transfer_notice,
      .series = {predicted_score_series("xgb's boosted trees, which by default learn the order of trials and "
                                        "not their speed (AutoTVM)"),
                 member_share_series("steps of xgb's annealing")},
      .learns_from_features = true,
      .random_phase = [](const SettingValues& settings) { return settings.integer("plan_size"); }};
}

}  // namespace kernelscape
