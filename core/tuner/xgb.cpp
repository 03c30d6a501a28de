#include <fmt/format.h>

#include "core/tuner/cost_model.h"
#include "core/tuner/declaration.h"
#include "core/tuner/planned_search.h"

namespace kernelscape::tuner {
namespace {

struct XgbSettings {
  PlanSettings plan = {};
  double random_share = 0.05;
  BoostingSettings boosting = {};
  std::size_t history_minimum = 500;

  static SettingsOf<XgbSettings> table() {
    const std::string tuner = "AutoTVM, XGBTuner";
    const auto parameters = submember(&XgbSettings::boosting, &BoostingSettings::parameters);
    return SettingsOf<XgbSettings>()
        .group(&XgbSettings::plan, PlanSettings::table(tuner))
        .add("random_share", &XgbSettings::random_share, 0, 1, "of a plan",
             "share of random candidates at the end of a plan, rounded down", tuner)
        .choice("loss", submember(parameters, &surrogate::BoostingParameters::objective),
                {{"rank", surrogate::BoostingObjective::PairwiseRank},
                 {"regression", surrogate::BoostingObjective::Regression}},
                "target of the trees: the order of fitness, or fitness itself", tuner)
        .group(&XgbSettings::boosting, BoostingSettings::table(BoostingProgram::AutoTvm))
        .add("history_minimum", &XgbSettings::history_minimum, 1, 1'000'000'000, "trials",
             "minimum number of trials of other sessions to train a transferred model",
             "AutoTVM, XGBoostCostModel (min_seed_records)");
  }
};

/** AutoTVM's XGBTuner: plans of the maxima of a cost model of boosted trees, refitted after each plan. */
class BoostingTuner final : public Tuner {
 public:
  BoostingTuner(const Context& context, std::shared_ptr<const space::FeatureExtractor> features)
      : settings_(read_settings<XgbSettings>(context.settings)),
        search_(context, settings_.plan),
        model_(std::move(features), settings_.boosting.parameters, context.random.fork("cost model")) {
    settings_.boosting.rounds.recall_at = settings_.plan.plan_size;
  }

  /** Trains on the history and makes the first plan from it. */
  Status start(const Context& context) {
    const auto transferred =
        TRY(model_.transfer(context, settings_.history_minimum, settings_.plan.plan_size));
    return transferred ? plan() : Status{};
  }

  Result<Proposal> propose(std::size_t n) override {
    if (search_.fit_due(model_.size(), model_.best_fitness())) {
      TRY(model_.fit(settings_.boosting.rounds));
      search_.count_fit();
      TRY(plan());
    }
    return search_.take(n);
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) model_.add(observation);
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    const std::optional<float> score = search_.score(position);
    if (!score) return {};
    std::vector<trial::SeriesValue> values{{"predicted_score", *score}};
    search_.drawn().report(values);
    return values;
  }

 private:
  Status plan() {
    const auto score = [this](std::span<const space::Configuration> points) {
      return model_.predict(points);
    };
    return search_.plan(score, settings_.random_share);
  }

  XgbSettings settings_;
  PlannedSearch search_;
  CostModel model_;
};

Result<std::unique_ptr<Tuner>> make_boosting_tuner(const Context& context) {
  auto features = TRY(chosen_features(context, "xgb"));
  auto tuner = std::make_unique<BoostingTuner>(context, std::move(features));
  TRY(tuner->start(context));
  return tuner;
}

/** Returns a notice if the warm start has too few trials for this tuner. */
std::string transfer_notice(const Context& context) {
  const std::size_t minimum = read_settings<XgbSettings>(context.settings).history_minimum;
  if (context.history.empty() || context.history.size() >= minimum) return {};
  return fmt::format(
      "tuner xgb does not use the {} trials of the warm start: it needs at least {}, the setting "
      "history_minimum",
      context.history.size(), minimum);
}

}  // namespace

Declaration xgb_tuner() {
  return {
      .name = "xgb",
      .summary = "gradient-boosted trees as a cost model, searched by simulated annealing",
      .source = "AutoTVM's XGBTuner",
      .default_batch = 64,
      .hyperparameters = settings_of<XgbSettings>().declarations(),
      .make = make_boosting_tuner,
      .fits = [](const Context& context) { return check_features(context, "xgb"); },
      .notice = transfer_notice,
      .series =
          {predicted_score_series(
               "xgb's boosted trees, which by default learn the order of trials, not their speed (AutoTVM)"),
           member_share_series("steps of xgb's annealing")},
      .learns_from_features = true,
      .random_phase = integer_of<XgbSettings>(submember(&XgbSettings::plan, &PlanSettings::plan_size))};
}

}  // namespace kernelscape::tuner
