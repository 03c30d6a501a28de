#pragma once

#include <optional>
#include <vector>

#include "core/tuner/annealing.h"
#include "core/tuner/feature_choice.h"
#include "core/tuner/visited.h"

namespace kernelscape {

/** `chains`, `annealing_iterations` and `annealing_patience`. @param source of the tuner */
SettingsOf<AnnealingSettings> annealing_settings(const std::string& source);

/** What tuners choose that search by plans. */
struct PlanSettings {
  FeatureSettings features = {};    ///< that their models learn from
  std::size_t plan_size = 64;       ///< candidates of a plan, and trials between two fits
  std::size_t diversity_ratio = 0;  ///< plans among whose maxima the most diverse one is picked; 0: off
  AnnealingSettings annealing = {};

  /** @param source of the tuner */
  static SettingsOf<PlanSettings> table(const std::string& source);
};

/**
 * AutoTVM's ModelBasedTuner but for its model. Trials come in plans: the configurations of the highest score
 * that simulated annealing finds, the last few of a plan random; all are random before the first plan and
 * after the end of one. What is beyond the context's limits is scored as worse than all else, without the
 * model, and not proposed.
 */
class PlannedSearch {
 public:
  PlannedSearch(const TunerContext& context, const PlanSettings& settings);

  /**
   * Whether the model is to be fitted (again): there are plan_size trials more than at the last fit and one
   * of them is no error. After many errors at first the fits catch up, one by one: there are never more of
   * them than trials / plan_size.
   * @param best_fitness of the trials
   */
  bool fit_due(std::size_t trials, double best_fitness) const;
  /** The model was fitted to trials of this session. */
  void count_fit() { ++fits_; }

  /** Gives up what is left of the plan and makes one of the highest scores. @param random_share of the plan,
   * rounded down; 0 to 1 */
  Status plan(const ScoreFunction& score, double random_share);
  /** Gives up what is left of the plan for this one, none of it random: different unvisited members within
   * the limits. */
  void follow(std::vector<ScoredConfiguration> plan);

  /** Members of the plan that take() has not come to. */
  std::span<const ScoredConfiguration> rest_of_plan() const { return std::span(plan_).subspan(next_); }

  /** Up to n candidates, from then on visited. */
  Proposal take(std::size_t n);

  /** The score of the candidate at `position` of the last proposal; none for random ones. */
  std::optional<float> score(std::size_t position) const;

  /** The steps of annealing that made the plan. */
  const DrawnChildren& drawn() const { return annealing_.drawn(); }

  /** Different random members that were not proposed and may still be, at most `count`. */
  std::vector<Configuration> sample_unvisited(std::size_t count);

 private:
  bool take_next(std::vector<Configuration>& candidates);
  std::optional<Configuration> take_random();
  std::vector<ScoredConfiguration> diverse(std::span<const ScoredConfiguration> maximums) const;

  std::size_t plan_size_;
  std::size_t diversity_ratio_;
  MemberFilter within_limits_;
  Visited visited_;
  AnnealingOptimizer annealing_;
  std::vector<ScoredConfiguration> plan_;
  std::size_t random_in_plan_ = 0;
  std::size_t next_ = 0;     ///< in the plan
  bool met_limits_ = false;  ///< random members beyond them were passed over
  std::size_t fits_ = 0;
  std::vector<std::optional<float>> scores_;  ///< of the last proposal
};

}  // namespace kernelscape
