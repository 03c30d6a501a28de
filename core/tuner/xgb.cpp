#include "core/tuner/cost_model.h"
#include "core/tuner/declaration.h"
#include "core/tuner/feature_choice.h"
#include "core/tuner/planned_search.h"

namespace kernelscape {
namespace {

BoostingParameters boosting_parameters(const SettingValues& settings) {
  return {.objective = settings.text("loss") == "rank" ? BoostingObjective::PairwiseRank
                                                       : BoostingObjective::Regression,
          .maximum_depth = static_cast<int>(settings.integer("maximum_depth")),
          .minimum_split_loss = settings.real("minimum_split_loss"),
          .minimum_child_weight = settings.real("minimum_child_weight"),
          .subsample = settings.real("subsample"),
          .learning_rate = settings.real("learning_rate"),
          .l2_regularisation = settings.real("l2_regularisation"),
          .l1_regularisation = settings.real("l1_regularisation")};
}

/** AutoTVM's XGBTuner: plans of the maxima of a cost model of boosted trees, refitted after each plan. */
class BoostingTuner final : public Tuner {
 public:
  BoostingTuner(const TunerContext& context, std::shared_ptr<const FeatureExtractor> features)
      : random_share_(context.settings.real("random_share")),
        search_(context),
        rounds_{.maximum = static_cast<int>(context.settings.integer("boosting_rounds")),
                .patience = static_cast<int>(context.settings.integer("boosting_patience")),
                .recall_at = search_.plan_size()},
        model_(std::move(features), boosting_parameters(context.settings),
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

std::vector<HyperparameterDeclaration> boosting_hyperparameters() {
  const std::string tuner = "AutoTVM, XGBTuner";
  const std::string model = "AutoTVM, XGBoostCostModel";
  std::vector<HyperparameterDeclaration> settings =
      planned_search_settings({.plan_size = 64, .chains = 128, .source = tuner});
  const std::vector<HyperparameterDeclaration> own{
      real_setting("random_share", 0.05, 0, 1, "of a plan", "random candidates at its end, rounded down",
                   tuner),
      choice_setting("loss", {"rank", "regression"}, "what the trees learn: the order of fitness, or fitness",
                     tuner),
      integer_setting("boosting_rounds", 8000, 1, 1'000'000, "trees", "at most", model),
      integer_setting("boosting_patience", 20, 1, 1'000'000, "trees",
                      "without a better recall on the training data, after which training stops", model),
      integer_setting("maximum_depth", 3, 1, 64, "", "of a tree", model),
      real_setting("minimum_split_loss", 1e-4, 0, 1e6, "", "XGBoost's gamma", model),
      real_setting("minimum_child_weight", 1, 0, 1e6, "", "XGBoost's min_child_weight", model),
      real_setting("subsample", 1, 0.01, 1, "of the rows", "that a tree is grown from", model),
      real_setting("learning_rate", 0.3, 1e-6, 1, "", "XGBoost's eta", model),
      real_setting("l2_regularisation", 1, 0, 1e6, "", "XGBoost's lambda", model),
      real_setting("l1_regularisation", 0, 0, 1e6, "", "XGBoost's alpha", model),
      integer_setting("history_minimum", 500, 1, 1'000'000'000, "trials",
                      "of other sessions, from which a transferred model is learnt",
                      model + " (min_seed_records)"),
  };
  settings.insert(settings.end(), own.begin(), own.end());
  return settings;
}

}  // namespace

TunerDeclaration xgb_tuner() {
  return {
      .name = "xgb",
      .summary = "gradient-boosted trees as a cost model, searched by simulated annealing",
      .source = "AutoTVM's XGBTuner",
      .default_batch = 64,
      .hyperparameters = boosting_hyperparameters(),
      .make = make_boosting_tuner,
      .fits = [](const TunerContext& context) { return check_features(context, "xgb"); },
      .series = {predicted_score_series("xgb's boosted trees, which by default learn the order of trials and "
                                        "not their speed (AutoTVM)"),
                 member_share_series("steps of xgb's annealing")}};
}

}  // namespace kernelscape
