#include <algorithm>
#include <limits>

#include "core/tuner/annealing.h"
#include "core/tuner/cost_model.h"
#include "core/tuner/declaration.h"
#include "core/tuner/diversity.h"

namespace kernelscape {
namespace {

/// A model is only fitted once a trial reached this fitness (AutoTVM).
constexpr double least_fitness = 1e-6;

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

std::shared_ptr<const FeatureExtractor> features_of(const TunerContext& context) {
  if (context.features) return context.features;
  return std::make_shared<KnobFeatures>(context.space);
}

/**
 * AutoTVM's XGBTuner. Trials come in plans: the maxima of the cost model that simulated annealing finds, the
 * last few of a plan random. After each plan the model is fitted to all trials.
 */
class BoostingTuner final : public Tuner {
 public:
  explicit BoostingTuner(const TunerContext& context)
      : plan_size_(static_cast<std::size_t>(context.settings.integer("plan_size"))),
        random_in_plan_(static_cast<std::size_t>(context.settings.real("random_share") *
                                                 static_cast<double>(plan_size_))),
        diversity_ratio_(context.settings.integer("diversity_ratio")),
        rounds_{.maximum = static_cast<int>(context.settings.integer("boosting_rounds")),
                .patience = static_cast<int>(context.settings.integer("boosting_patience")),
                .recall_at = plan_size_},
        visited_(context.space, context.random.fork("random members")),
        annealing_(context.space,
                   {.chains = static_cast<std::size_t>(context.settings.integer("chains")),
                    .iterations = context.settings.integer("annealing_iterations"),
                    .patience = context.settings.integer("annealing_patience")},
                   context.random.fork("annealing")),
        model_(features_of(context), boosting_parameters(context.settings),
               context.random.fork("cost model")) {}

  /** Learns the history and makes the first plan from it. */
  Status start(const TunerContext& context) {
    const auto minimum = static_cast<std::size_t>(context.settings.integer("history_minimum"));
    const auto transferred = model_.transfer(context, minimum, plan_size_);
    if (!transferred) return std::unexpected(transferred.error());
    return *transferred ? plan() : Status{};
  }

  Result<Proposal> propose(std::size_t n) override {
    if (model_.size() >= plan_size_ * (fits_ + 1) && model_.best_fitness() > least_fitness) {
      if (const Status fitted = model_.fit(rounds_); !fitted) return std::unexpected(fitted.error());
      if (const Status planned = plan(); !planned) return std::unexpected(planned.error());
      ++fits_;
    }
    std::vector<Configuration> candidates;
    predicted_.clear();
    while (candidates.size() < n) {
      if (!take_next(candidates)) break;
    }
    if (candidates.empty()) return visited_.finished();
    return candidates;
  }

  void observe(std::span<const Observation> observations) override {
    for (const Observation& observation : observations) model_.add(observation);
  }

  std::vector<SeriesValue> series(std::size_t position) const override {
    if (position >= predicted_.size() || !predicted_[position]) return {};
    return {{"predicted_score", *predicted_[position]}};
  }

 private:
  bool take_next(std::vector<Configuration>& candidates) {
    while (next_ < plan_.size() && visited_.contains(plan_[next_].configuration)) ++next_;
    if (next_ + random_in_plan_ < plan_.size()) {
      candidates.push_back(plan_[next_].configuration);
      predicted_.emplace_back(plan_[next_].score);
      return visited_.insert(candidates.back());
    }
    auto member = visited_.take_random();
    if (!member) return false;
    candidates.push_back(std::move(*member));
    predicted_.emplace_back();
    return true;
  }

  Status plan() {
    const auto score = [this](std::span<const Configuration> points) { return model_.predict(points); };
    const std::size_t wanted =
        plan_size_ * static_cast<std::size_t>(std::max<std::int64_t>(1, diversity_ratio_));
    auto maximums = annealing_.find_maximums(score, wanted, visited_);
    if (!maximums) return std::unexpected(maximums.error());
    plan_ = diversity_ratio_ > 0 ? diverse(*maximums) : std::move(*maximums);
    next_ = 0;
    return {};
  }

  std::vector<ScoredConfiguration> diverse(std::span<const ScoredConfiguration> maximums) const {
    std::vector<Configuration> configurations;
    for (const ScoredConfiguration& maximum : maximums) configurations.push_back(maximum.configuration);
    std::vector<ScoredConfiguration> picked;
    for (const std::size_t position : submodular_pick(configurations, plan_size_))
      picked.push_back(maximums[position]);
    return picked;
  }

  std::size_t plan_size_;
  std::size_t random_in_plan_;
  std::int64_t diversity_ratio_;
  BoostingRounds rounds_;
  Visited visited_;
  AnnealingOptimizer annealing_;
  CostModel model_;
  std::vector<ScoredConfiguration> plan_;
  std::size_t next_ = 0;  ///< in the plan
  std::size_t fits_ = 0;
  std::vector<std::optional<float>> predicted_;  ///< of the last proposal; none for random candidates
};

Result<std::unique_ptr<Tuner>> make_boosting_tuner(const TunerContext& context) {
  auto tuner = std::make_unique<BoostingTuner>(context);
  if (const Status started = tuner->start(context); !started) return std::unexpected(started.error());
  return tuner;
}

std::vector<HyperparameterDeclaration> boosting_hyperparameters() {
  const std::string tuner = "AutoTVM, XGBTuner";
  const std::string model = "AutoTVM, XGBoostCostModel";
  const std::string optimizer = "AutoTVM, SimulatedAnnealingOptimizer";
  return {
      integer_setting("plan_size", 64, 1, 100'000, "trials", "between two fits of the model", tuner),
      real_setting("random_share", 0.05, 0, 1, "of a plan", "random candidates at its end, rounded down",
                   tuner),
      integer_setting("diversity_ratio", 0, 0, 1000, "plans",
                      "maxima among which the most diverse plan is picked; 0: off",
                      tuner + " (diversity_filter_ratio)"),
      integer_setting("chains", 128, 1, 100'000, "", "of simulated annealing, in parallel",
                      optimizer + " (parallel_size)"),
      integer_setting("annealing_iterations", 500, 1, 1'000'000, "", "temperature 1 to 0",
                      optimizer + " (n_iter)"),
      integer_setting("annealing_patience", 50, 1, 1'000'000, "iterations",
                      "without a new maximum, after which annealing stops", optimizer + " (early_stop)"),
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
}

}  // namespace

TunerDeclaration xgb_tuner() {
  return {"xgb",
          "gradient-boosted trees as a cost model, searched by simulated annealing",
          "AutoTVM's XGBTuner",
          64,
          boosting_hyperparameters(),
          make_boosting_tuner};
}

}  // namespace kernelscape
