#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/space/configuration.h"
#include "core/space/search_space.h"

namespace kernelscape {

// The genes of a configuration are the indices of its knobs' values.

/// Added to every parent's weight, so that one without any fitness can be drawn (AutoTVM).
inline constexpr double least_parent_weight = 1e-8;

/** Single-point crossover: the genes before `point` from `first`, the others from `second`. */
Configuration crossover(const Configuration& first, const Configuration& second, std::size_t point);

/** Uniform mutation: each gene is, with this probability, replaced by a uniformly random one, itself
 * included. */
void mutate(Configuration& configuration, const std::vector<Knob>& knobs, double probability, Random& random);

/** As mutate(), but for another one: no gene becomes what it was. Those of one value alone stay. */
void mutate_to_others(Configuration& configuration, const std::vector<Knob>& knobs, double probability,
                      Random& random);

/** Sets one random gene to a uniformly random value, itself included. */
void randomise_gene(Configuration& configuration, const std::vector<Knob>& knobs, Random& random);

/**
 * AutoTVM's random walk: one random gene becomes a different, uniformly random one. Knobs of one value are
 * not drawn; the configuration itself where there are no others.
 */
Configuration random_walk(const Configuration& from, const std::vector<Knob>& knobs, Random& random);

/**
 * AutoTVM's child: single-point crossover of two different parents, drawn by their weights, and mutation of
 * it. Of one parent alone it is a mutation. @param weights one per parent
 */
Configuration breed_child(std::span<const Configuration> parents, std::span<const double> weights,
                          const std::vector<Knob>& knobs, double mutation_probability, Random& random);

/** Simulated binary crossover: how far children are from the middle of their parents, 1 as far as these are.
 * @param uniform drawn from [0, 1) */
double simulated_binary_spread(double index, double uniform);

/** Polynomial mutation: a step in [-1, 1] of the range. @param uniform drawn from [0, 1) */
double polynomial_step(double index, double uniform);

/** Roulette: two items in proportion to their weights, the second among the others. At least two weights. */
std::pair<std::size_t, std::size_t> draw_distinct_pair(std::span<const double> weights, Random& random);

/** Positions of the `count` largest, best first; equal values in their order. */
std::vector<std::size_t> best_positions(std::span<const double> values, std::size_t count);

}  // namespace kernelscape
