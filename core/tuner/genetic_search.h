#pragma once

#include <cstdint>
#include <vector>

#include "core/tuner/annealing.h"

namespace kernelscape::tuner {

/** Settings of the genetic search, with the defaults of One-Shot Tuner. */
struct GeneticSettings {
  std::size_t population = 512;
  std::size_t elites = 96;
  double mutation_probability = 0.1;
  std::int64_t generations = 120;  ///< including the first, random generation
};

/**
 * Runs AutoTVM's genetic algorithm on a cheap score instead of measurements. Every individual is a new
 * configuration, and the best so far are parents of each generation too. Parents are drawn by their scores as
 * shares of the largest score so far; negative scores count as 0.
 * @param drawn counts the children
 * @return the best configurations of all generations, best first, at most `count`
 */
Result<std::vector<ScoredConfiguration>> find_maximums_by_breeding(const space::SearchSpace& space,
                                                                   const GeneticSettings& settings,
                                                                   const ScoreFunction& score,
                                                                   std::size_t count, base::Random random,
                                                                   DrawnChildren& drawn);

}  // namespace kernelscape::tuner
