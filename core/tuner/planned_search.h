#pragma once

#include <optional>
#include <vector>

#include "core/tuner/annealing.h"
#include "core/tuner/feature_choice.h"
#include "core/tuner/visited.h"

namespace kernelscape::tuner {

/**
 * Returns the settings `chains`, `annealing_iterations` and `annealing_patience`. @param source of the tuner
 */
SettingsOf<AnnealingSettings> annealing_settings(const std::string& source);

/** Settings of tuners that search by plans. */
struct PlanSettings {
  FeatureSettings features = {};  ///< features that the models learn from
  std::size_t plan_size = 64;     ///< candidates per plan, and trials between two fits
  /// number of plans from whose maxima the most diverse plan is picked; 0: off
  std::size_t diversity_ratio = 0;
  AnnealingSettings annealing = {};

  /** Returns the declared settings. @param source of the tuner */
  static SettingsOf<PlanSettings> table(const std::string& source);
};

/**
 * AutoTVM's ModelBasedTuner without its model. Trials come in plans: the configurations with the highest
 * scores that simulated annealing finds; the last few of a plan are random. Before the first plan and after
 * the end of a plan, all candidates are random. Configurations that violate the context's limits get a score
 * below all others, without the model, and are not proposed.
 */
class PlannedSearch {
 public:
  PlannedSearch(const Context& context, const PlanSettings& settings);

  /**
   * Returns true if the model should be fitted (again): there are plan_size trials more than at the last fit
   * and one of them is valid. If many trials failed at first, the fits catch up one by one: there are never
   * more fits than trials / plan_size.
   * @param best_fitness of the trials
   */
  bool fit_due(std::size_t trials, double best_fitness) const;
  /** Notes that the model was fitted to trials of this session. */
  void count_fit() { ++fits_; }

  /**
   * Discards the rest of the plan and makes a plan of the configurations with the highest scores.
   * @param random_share share of the plan that is random, rounded down; 0 to 1
   */
  Status plan(const ScoreFunction& score, double random_share);
  /**
   * Replaces the rest of the plan by `plan`, which has no random part: different unvisited members within the
   * limits.
   */
  void follow(std::vector<ScoredConfiguration> plan);

  /** Returns the members of the plan that take() has not yet returned. */
  std::span<const ScoredConfiguration> rest_of_plan() const { return std::span(plan_).subspan(next_); }

  /** Returns up to n candidates and marks them as visited. */
  Proposal take(std::size_t n);

  /**
   * Returns the score of the candidate at `position` of the last proposal; nullopt for a random candidate.
   */
  std::optional<float> score(std::size_t position) const;

  /** Returns the counts of the annealing steps that made the plan. */
  const DrawnChildren& drawn() const { return annealing_.drawn(); }

  /** Returns different random members that were not proposed and may still be proposed, at most `count`. */
  std::vector<space::Configuration> sample_unvisited(std::size_t count);

 private:
  bool take_next(std::vector<space::Configuration>& candidates);
  std::optional<space::Configuration> take_random();
  std::vector<ScoredConfiguration> diverse(std::span<const ScoredConfiguration> maximums) const;

  std::size_t plan_size_;
  std::size_t diversity_ratio_;
  MemberFilter within_limits_;
  Visited visited_;
  AnnealingOptimizer annealing_;
  std::vector<ScoredConfiguration> plan_;
  std::size_t random_in_plan_ = 0;
  std::size_t next_ = 0;     ///< position in the plan
  bool met_limits_ = false;  ///< true if random members that violate the limits were skipped
  std::size_t fits_ = 0;
  std::vector<std::optional<float>> scores_;  ///< scores of the last proposal
};

}  // namespace kernelscape::tuner
