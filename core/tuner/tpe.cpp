#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/tuner/genes.h"
#include "core/tuner/parzen_estimator.h"
#include "core/tuner/population.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

/// Maximum number of draws for each candidate to choose from.
constexpr std::size_t draws_per_candidate = 20;

struct TpeSettings {
  std::size_t start_points = 10;
  std::size_t candidates = 24;
  double good_share = 0.1;
  std::size_t maximum_good = 25;
  double prior_weight = 1;

  static SettingsOf<TpeSettings> table() {
    const std::string optuna = "Optuna, TPESampler";
    return SettingsOf<TpeSettings>()
        .add("start_points", &TpeSettings::start_points, 1, 1'000'000, "trials",
             "number of random trials at the start", optuna + " (n_startup_trials)")
        .add("candidates", &TpeSettings::candidates, 1, 1'000'000, "configurations",
             "number of configurations drawn from the good trials, of which the most promising is taken",
             optuna + " (n_ei_candidates)")
        .add("good_share", &TpeSettings::good_share, 0.001, 1, "of the trials",
             "gamma: share of the trials that count as good, rounded up", optuna + " (gamma)")
        .add("maximum_good", &TpeSettings::maximum_good, 1, 1'000'000, "trials",
             "largest number of trials that count as good", optuna + " (gamma)")
        .add("prior_weight", &TpeSettings::prior_weight, 0.001, 1000, "trials",
             "weight of the prior, over all values of a knob", optuna);
  }
};

/**
 * The tree-structured Parzen estimator (Bergstra et al. 2011, section 4), with Optuna's defaults: of some
 * configurations from the distribution of the good trials, whose knobs are independent, the one is taken with
 * the largest ratio of its probability there to that in the other trials. Failed trials are never good.
 * Combinations that are no members, or known, are drawn again; if there is no other, the candidate is a
 * random member. The candidates of a batch are drawn from the same distributions.
 */
class ParzenTuner final : public Tuner {
 public:
  explicit ParzenTuner(const Context& context)
      : space_(context.space),
        settings_(read_settings<TpeSettings>(context.settings)),
        random_(context.random.fork("values")),
        visited_(context.space, context.random.fork("random members")),
        start_(initial_population(context, visited_, settings_.start_points)) {}

  Result<Proposal> propose(std::size_t n) override {
    drawn_ = {};
    if (!start_.exhausted()) return next_proposal(start_, n, visited_);
    fit();
    std::vector<space::Configuration> candidates;
    while (candidates.size() < n) {
      auto candidate = good_.empty() ? visited_.take_random() : take_promising();
      if (!candidate) break;
      candidates.push_back(std::move(*candidate));
    }
    if (candidates.empty()) return visited_.finished();
    return candidates;
  }

  void observe(std::span<const trial::Observation> observations) override {
    trials_.insert(trials_.end(), observations.begin(), observations.end());
  }

  std::vector<trial::SeriesValue> series(std::size_t /*position*/) const override {
    std::vector<trial::SeriesValue> values;
    drawn_.report(values);
    return values;
  }

 private:
  /** Takes the most promising of the new members that are drawn, or a random one if none is. */
  std::optional<space::Configuration> take_promising() {
    std::optional<space::Configuration> best;
    double best_score = 0;
    std::size_t found = 0;
    for (std::size_t draw = 0; draw < draws_per_candidate * settings_.candidates; ++draw) {
      if (found == settings_.candidates) break;
      space::Configuration candidate;
      for (const ParzenEstimator& values : good_) candidate.indices.push_back(values.draw(random_));
      const bool member = space_.contains(candidate);
      drawn_.count(member);
      if (!member || visited_.contains(candidate)) continue;
      ++found;
      const double score = score_of(candidate);
      if (best && score <= best_score) continue;
      best = std::move(candidate);
      best_score = score;
    }
    if (!best) return visited_.take_random();
    visited_.insert(*best);
    return best;
  }

  /** Makes the distributions of each knob's values in good and in other trials; none without a valid trial.
   */
  void fit() {
    std::vector<bool> is_good(trials_.size());
    std::vector<double> fitness;
    for (const trial::Observation& trial : trials_) fitness.push_back(trial.fitness);
    const auto share =
        static_cast<std::size_t>(std::ceil(settings_.good_share * static_cast<double>(trials_.size())));
    bool any = false;
    for (const std::size_t position : best_positions(fitness, std::min(share, settings_.maximum_good))) {
      is_good[position] = fitness[position] > 0;
      any = any || is_good[position];
    }
    good_.clear();
    others_.clear();
    ratios_.assign(space_.knobs().size(), {});
    if (!any) return;
    for (std::size_t knob = 0; knob < space_.knobs().size(); ++knob) {
      good_.push_back(estimator(knob, is_good, true));
      others_.push_back(estimator(knob, is_good, false));
    }
  }

  ParzenEstimator estimator(std::size_t knob, const std::vector<bool>& is_good, bool good) const {
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < trials_.size(); ++i)
      if (is_good[i] == good) values.push_back(trials_[i].configuration.indices[knob]);
    return {space_.knobs()[knob], values, settings_.prior_weight};
  }

  /** Returns the logarithm of the ratio of a configuration's probabilities in good and in other trials. */
  double score_of(const space::Configuration& configuration) {
    double score = 0;
    for (std::size_t knob = 0; knob < good_.size(); ++knob)
      score += std::log(ratio_of(knob, configuration.indices[knob]));
    return score;
  }

  /** Returns the ratio of a value's probabilities in good and in other trials, computed once per fit. */
  double ratio_of(std::size_t knob, std::uint32_t value) {
    const auto [known, inserted] = ratios_[knob].try_emplace(value);
    if (inserted) known->second = good_[knob].probability(value) / others_[knob].probability(value);
    return known->second;
  }

  space::SearchSpace space_;
  TpeSettings settings_;
  base::Random random_;
  Visited visited_;
  DrawnChildren drawn_;  ///< of the last proposal
  Generation start_;
  std::vector<trial::Observation> trials_;
  std::vector<ParzenEstimator> good_;                              ///< by knob; empty without a valid trial
  std::vector<ParzenEstimator> others_;                            ///< by knob
  std::vector<std::unordered_map<std::uint32_t, double>> ratios_;  ///< by knob, of the values drawn so far
};

}  // namespace

Declaration tpe_tuner() {
  return {
      .name = "tpe",
      .summary = "tree-structured Parzen estimator: values that are frequent in good trials, rare in others",
      .source = "Bergstra et al. 2011, as in Optuna",
      .default_batch = 1,
      .hyperparameters = settings_of<TpeSettings>().declarations(),
      .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
        return std::make_unique<ParzenTuner>(context);
      },
      .series = {member_share_series("combinations of values that tpe draws")},
      .starts_with_best = true,
      .random_phase = integer_of<TpeSettings>(&TpeSettings::start_points)};
}

}  // namespace kernelscape::tuner
