#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/tuner/visited.h"

namespace kernelscape {

/** Probability of accepting a step that changes the score by `change`; at least 1 for an improvement
 * (AutoTVM). */
double annealing_acceptance(double change, double temperature);

/** Scores of configurations, larger is better. */
using ScoreFunction = std::function<Result<std::vector<float>>(std::span<const Configuration>)>;

/// Of a configuration that no kernel can be made of, where others have scores of some deviations around 0.
inline constexpr float beyond_limits_score = -100;

struct ScoredConfiguration {
  Configuration configuration;
  float score = 0;
};

/** AutoTVM's defaults; the temperature falls from 1 to 0, the chains stay where they are between two
 * searches. */
struct AnnealingSettings {
  std::size_t chains = 128;
  std::int64_t iterations = 500;
  std::int64_t patience = 50;  ///< stop after so many iterations without a new configuration among the best
};

/** AutoTVM's SimulatedAnnealingOptimizer: chains in parallel that look for the maxima of a cheap score. */
class AnnealingOptimizer {
 public:
  AnnealingOptimizer(SearchSpace space, AnnealingSettings settings, Random random);

  /** The best unvisited configurations that the chains came by, best first, at most `count`. */
  Result<std::vector<ScoredConfiguration>> find_maximums(const ScoreFunction& score, std::size_t count,
                                                         const Visited& visited);

  /** The steps that the last search drew. */
  const DrawnChildren& drawn() const { return drawn_; }

 private:
  void place_chains();
  std::vector<Configuration> step();

  SearchSpace space_;
  AnnealingSettings settings_;
  Random random_;
  std::vector<Configuration> points_;  ///< one per chain
  DrawnChildren drawn_;
};

}  // namespace kernelscape
