#pragma once

#include <cstdint>
#include <vector>

#include "core/tuner/annealing.h"

namespace kernelscape {

/** One-Shot Tuner's. */
struct GeneticSettings {
  std::size_t population = 512;
  std::size_t elites = 96;
  double mutation_probability = 0.1;
  std::int64_t generations = 120;  ///< the first, random one among them
};

/**
 * AutoTVM's genetic algorithm on a score that costs little, in the place of measurements: every member of it
 * is a new one, and the best so far are parents of each generation too. Parents are drawn by their scores as
 * shares of the greatest one so far, negative ones as 0.
 * @param drawn counts the children
 * @return the best of all generations, best first, at most `count`
 */
Result<std::vector<ScoredConfiguration>> find_maximums_by_breeding(const SearchSpace& space,
                                                                   const GeneticSettings& settings,
                                                                   const ScoreFunction& score,
                                                                   std::size_t count, Random random,
                                                                   DrawnChildren& drawn);

}  // namespace kernelscape
