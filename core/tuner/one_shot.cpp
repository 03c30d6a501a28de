#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_set>

#include "core/tuner/cost_model.h"
#include "core/tuner/declaration.h"
#include "core/tuner/genes.h"
#include "core/tuner/genetic_search.h"
#include "core/tuner/planned_search.h"

namespace kernelscape::tuner {
namespace {

/// Number of random members from whose predictions the scale is determined.
constexpr int scale_members = 512;
/// Maximum number of random members to fill a round if the search finds too few.
constexpr std::size_t max_filling_members = 1 << 16;
/// What the published program adds to predictions in standard deviations, so that they are above 0.
constexpr float published_shift = 100;

/**
 * Predictions as standard deviations from their mean over random members: the unit of the annealing
 * temperature, as in the published program, which predicts deviations.
 */
class PredictionScale {
 public:
  static Result<PredictionScale> of(const Context& context) {
    base::Random random = context.random.fork("scale of predictions");
    std::vector<space::Configuration> members;
    for (int i = 0; i < scale_members; ++i) {
      auto member = context.space.random_member(random);
      if (!member) break;
      if (!context.within_limits || context.within_limits(*member)) members.push_back(std::move(*member));
    }
    const auto predictions = TRY(context.predictor->predict(members));
    return PredictionScale(predictions);
  }

  /** Returns a score above `beyond_limits_score` for any prediction. */
  float score(float prediction) const {
    constexpr float least = beyond_limits_score + 1;
    const auto score = static_cast<float>((prediction - mean_) / deviation_);
    return score > least ? score : least;
  }

 private:
  explicit PredictionScale(const std::vector<float>& predictions) {
    const auto count = static_cast<double>(predictions.size());
    for (const float prediction : predictions) mean_ += prediction / count;
    double variance = 0;
    for (const float prediction : predictions)
      variance += (prediction - mean_) * (prediction - mean_) / count;
    if (variance > 0) deviation_ = std::sqrt(variance);
  }

  double mean_ = 0;
  double deviation_ = 1;
};

struct OneShotSettings {
  std::string predictor;
  bool anneals = true;
  std::size_t top = 64;
  AnnealingSettings annealing = {.chains = 512, .iterations = 160};
  GeneticSettings breeding = {};
  bool shifts_scores = false;
  bool refit = false;
  FeatureSettings features = {};
  double random_share = 0.05;
  BoostingSettings boosting = {.parameters = {.objective = surrogate::BoostingObjective::Regression}};

  static SettingsOf<OneShotSettings> table() {
    const std::string paper = "One-Shot Tuner, section 5";
    const auto breeding = [](auto member) { return submember(&OneShotSettings::breeding, member); };
    return SettingsOf<OneShotSettings>()
        .add(std::string(predictor_setting), &OneShotSettings::predictor,
             "a trained predictor by name, number or hash; empty: the newest matching one in the database, "
             "otherwise a built-in one",
             "ours")
        .choice("search", &OneShotSettings::anneals, {{"annealing", true}, {"genetic", false}},
                "search for the highest predictions: simulated annealing or a genetic algorithm", paper)
        .add("top", &OneShotSettings::top, 1, 100'000, "trials",
             "number of the highest predictions, measured in one round", paper)
        .group(&OneShotSettings::annealing, annealing_settings("One-Shot Tuner"))
        .add("population", breeding(&GeneticSettings::population), 1, 100'000, "configurations",
             "number of configurations per generation of the genetic search", paper)
        .add("elites", breeding(&GeneticSettings::elites), 0, 100'000, "configurations",
             "number of the best configurations so far that are also parents of the next generation", paper)
        .add("mutation_probability", breeding(&GeneticSettings::mutation_probability), 0, 1, "",
             "probability that a gene of a child gets a random value", paper)
        .add("generations", breeding(&GeneticSettings::generations), 1, 1'000'000, "",
             "number of generations of the genetic search", paper)
        .choice("parents", &OneShotSettings::shifts_scores, {{"proportional", false}, {"shifted", true}},
                "how the genetic search draws parents: in proportion to predictions, or to their standard "
                "deviations from the mean plus 100, as the published program, which makes parents almost "
                "equally likely",
                "One-Shot Tuner, its published code")
        .add("refit", &OneShotSettings::refit,
             "continue after the round as xgb does, starting from the predictions; the settings from "
             "features on configure this",
             "ours")
        .group(&OneShotSettings::features, FeatureSettings::table())
        .add("random_share", &OneShotSettings::random_share, 0, 1, "of a plan",
             "share of random candidates at the end of a plan, rounded down", "AutoTVM, XGBTuner")
        .group(&OneShotSettings::boosting, BoostingSettings::table(BoostingProgram::AutoTvm));
  }
};

/** One-Shot Tuner's code generation: the best predictions are measured once, in one round. */
class OneShotTuner final : public Tuner {
 public:
  /** @param model the model of `refit`; nullopt without refit */
  OneShotTuner(const Context& context, std::optional<CostModel> model)
      : context_(context),
        settings_(read_settings<OneShotSettings>(context.settings)),
        search_(context, {.plan_size = settings_.top, .annealing = settings_.annealing}),
        model_(std::move(model)) {
    settings_.boosting.rounds.recall_at = settings_.top;
    if (model_) model_->improve_on(context.predictor);
  }

  Result<Proposal> propose(std::size_t n) override {
    if (!planned_) {
      TRY(plan_predictions());
    } else if (model_ && search_.fit_due(model_->size(), model_->best_fitness())) {
      TRY(refit());
    }
    if (model_) return search_.take(n);
    const std::size_t left = search_.rest_of_plan().size();
    if (left == 0) return end_of_round();
    return search_.take(std::min(n, left));
  }

  void observe(std::span<const trial::Observation> observations) override {
    if (!model_) return;
    for (const trial::Observation& observation : observations) model_->add(observation);
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    const std::optional<float> score = search_.score(position);
    if (!score) return {};
    std::vector<trial::SeriesValue> values{{"predicted_mean", *score * unit_}};
    drawn_.report(values);
    return values;
  }

 private:
  using Plan = std::vector<ScoredConfiguration>;

  bool within_limits(const space::Configuration& member) const {
    return !context_.within_limits || context_.within_limits(member);
  }

  /** Plans the round: the highest predictions, best first. */
  Status plan_predictions() {
    Plan plan = TRY(settings_.anneals ? annealed() : bred());
    TRY(predict(plan));
    if (plan.size() < settings_.top) TRY(fill(plan));
    std::ranges::stable_sort(plan, std::greater{}, &ScoredConfiguration::score);
    planned_ = plan.size();
    search_.follow(std::move(plan));
    return {};
  }

  Result<Plan> annealed() {
    const PredictionScale scale = TRY(PredictionScale::of(context_));
    const auto score = [&](std::span<const space::Configuration> points) -> Result<std::vector<float>> {
      auto scores = TRY(context_.predictor->predict(points));
      for (float& value : scores) value = scale.score(value);
      return scores;
    };
    TRY(search_.plan(score, 0));
    drawn_ = search_.drawn();
    const std::span<const ScoredConfiguration> found = search_.rest_of_plan();
    return Plan(found.begin(), found.end());
  }

  Result<Plan> bred() {
    std::optional<PredictionScale> scale;
    if (settings_.shifts_scores) scale = TRY(PredictionScale::of(context_));
    const auto score = [&](std::span<const space::Configuration> points) {
      return breeding_scores(points, scale);
    };
    Plan plan = TRY(find_maximums_by_breeding(context_.space, settings_.breeding, score, settings_.top,
                                              context_.random.fork("breeding"), drawn_));
    std::erase_if(plan, [this](const ScoredConfiguration& one) { return !within_limits(one.configuration); });
    return plan;
  }

  /**
   * Returns predictions, shifted if there is a scale; 0 for configurations that violate the limits, without
   * using the predictor.
   */
  Result<std::vector<float>> breeding_scores(std::span<const space::Configuration> points,
                                             const std::optional<PredictionScale>& scale) const {
    std::vector<space::Configuration> inside;
    for (const space::Configuration& point : points)
      if (within_limits(point)) inside.push_back(point);
    auto known = TRY(context_.predictor->predict(inside));
    for (float& value : known)
      if (scale) value = published_shift + scale->score(value);
    std::vector<float> scores;
    std::size_t next = 0;
    for (const space::Configuration& point : points) {
      const bool is_next = next < inside.size() && inside[next] == point;
      scores.push_back(is_next ? known[next++] : 0);
    }
    return scores;
  }

  Status predict(Plan& plan) const {
    std::vector<space::Configuration> members;
    for (const ScoredConfiguration& planned : plan) members.push_back(planned.configuration);
    const auto predictions = TRY(context_.predictor->predict(members));
    for (std::size_t i = 0; i < plan.size(); ++i) plan[i].score = predictions[i];
    return {};
  }

  /** Fills the plan with the best of other random members within the limits. */
  Status fill(Plan& plan) {
    std::unordered_set<space::Configuration> planned;
    for (const ScoredConfiguration& one : plan) planned.insert(one.configuration);
    Plan others;
    for (space::Configuration& member : search_.sample_unvisited(max_filling_members))
      if (!planned.contains(member) && within_limits(member)) others.push_back({std::move(member), 0});
    TRY(predict(others));
    std::ranges::stable_sort(others, std::greater{}, &ScoredConfiguration::score);
    others.resize(std::min(others.size(), settings_.top - plan.size()));
    plan.insert(plan.end(), others.begin(), others.end());
    return {};
  }

  /** Refits the model and plans as xgb does. */
  Status refit() {
    TRY(model_->fit(settings_.boosting.rounds));
    search_.count_fit();
    const auto score = [this](std::span<const space::Configuration> points) {
      return model_->predict(points);
    };
    TRY(search_.plan(score, settings_.random_share));
    drawn_ = search_.drawn();
    unit_ = model_->label_unit();
    return {};
  }

  Finished end_of_round() const {
    if (*planned_ > 0) return {fmt::format("one round: the {} best predictions were measured", *planned_)};
    return {context_.within_limits ? "no configuration within the target's limits was found"
                                   : "the space has no feasible configurations"};
  }

  Context context_;
  OneShotSettings settings_;
  PlannedSearch search_;
  std::optional<CostModel> model_;
  std::optional<std::size_t> planned_;  ///< members of the round, once it was made
  DrawnChildren drawn_;                 ///< counts of the search that made the plan
  float unit_ = 1;                      ///< fitness that corresponds to the score 1 of the plan
};

Status check_one_shot(const Context& context) {
  if (!context.predictor) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("tuner one-shot: there is no predictor for the kernels of {}",
                            context.task.name.empty() ? "this space" : context.task.name),
                "train a predictor with `kernelscape train`, or choose another tuner");
  }
  const bool refit = read_settings<OneShotSettings>(context.settings).refit;
  return refit ? check_features(context, "one-shot") : Status();
}

Result<std::unique_ptr<Tuner>> make_one_shot_tuner(const Context& context) {
  TRY(check_one_shot(context));
  std::optional<CostModel> model;
  if (const auto settings = read_settings<OneShotSettings>(context.settings); settings.refit) {
    auto features = TRY(chosen_features(context, "one-shot"));
    model.emplace(std::move(features), settings.boosting.parameters, context.random.fork("cost model"));
  }
  return std::make_unique<OneShotTuner>(context, std::move(model));
}

std::string one_shot_notice(const Context& context) {
  return context.history.empty()
             ? ""
             : "tuner one-shot ignores the trials of a warm start: it only uses its predictor";
}

}  // namespace

Declaration one_shot_tuner() {
  return {.name = "one-shot",
          .summary =
              "the highest predictions of a model that was trained before the session, measured in one round",
          .source = "One-Shot Tuner",
          .default_batch = 64,
          .hyperparameters = settings_of<OneShotSettings>().declarations(),
          .make = make_one_shot_tuner,
          .fits = check_one_shot,
          .notice = one_shot_notice,
          .series = {predicted_mean_series("one-shot's predictor, which was trained without trials of the "
                                           "session, and with refit boosted trees that improve on it"),
                     member_share_series("steps or children of the search of one-shot")},
          .uses_predictor = true};
}

}  // namespace kernelscape::tuner
