#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/tuner/visited.h"

namespace kernelscape::tuner {

/**
 * Returns the probability of accepting a step that changes the score by `change`; at least 1 for an
 * improvement (AutoTVM).
 */
double annealing_acceptance(double change, double temperature);

/** Returns the scores of configurations; larger is better. */
using ScoreFunction = std::function<Result<std::vector<float>>(std::span<const space::Configuration>)>;

/// Score of a configuration that violates the target's limits; the scores of other configurations lie within
/// a few standard deviations of 0.
inline constexpr float beyond_limits_score = -100;

struct ScoredConfiguration {
  space::Configuration configuration;
  float score = 0;
};

/**
 * Settings of simulated annealing, with AutoTVM's defaults. The temperature falls from 1 to 0; the next
 * search starts where the chains of the last one ended.
 */
struct AnnealingSettings {
  std::size_t chains = 128;
  std::int64_t iterations = 500;
  /// stops after this many iterations without a new configuration among the best
  std::int64_t patience = 50;
};

/** AutoTVM's SimulatedAnnealingOptimizer: parallel chains that search for the maxima of a cheap score. */
class AnnealingOptimizer {
 public:
  AnnealingOptimizer(space::SearchSpace space, AnnealingSettings settings, base::Random random);

  /** Returns the best unvisited configurations that the chains reached, best first, at most `count`. */
  Result<std::vector<ScoredConfiguration>> find_maximums(const ScoreFunction& score, std::size_t count,
                                                         const Visited& visited);

  /** Returns the counts of the steps that the last search drew. */
  const DrawnChildren& drawn() const { return drawn_; }

 private:
  void place_chains();
  std::vector<space::Configuration> step();

  space::SearchSpace space_;
  AnnealingSettings settings_;
  base::Random random_;
  std::vector<space::Configuration> points_;  ///< one per chain
  DrawnChildren drawn_;
};

}  // namespace kernelscape::tuner
