#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/space/configuration.h"
#include "core/space/search_space.h"

namespace kernelscape::tuner {

// The genes of a configuration are the indices of its knobs' values.

/// Added to every parent's weight, so that a parent with fitness 0 can be drawn (AutoTVM).
inline constexpr double min_parent_weight = 1e-8;

/**
 * Returns the single-point crossover of two configurations: the genes before `point` from `first`, the others
 * from `second`.
 */
space::Configuration crossover(const space::Configuration& first, const space::Configuration& second,
                               std::size_t point);

/**
 * Mutates uniformly: each gene is replaced, with this probability, by a uniformly random value, which may be
 * the current value.
 */
void mutate(space::Configuration& configuration, const std::vector<space::Knob>& knobs, double probability,
            base::Random& random);

/**
 * Mutates as mutate() does, but a replaced gene always gets a different value. Genes with only one value
 * stay.
 */
void mutate_to_others(space::Configuration& configuration, const std::vector<space::Knob>& knobs,
                      double probability, base::Random& random);

/** Sets one random gene to a uniformly random value, which may be the current value. */
void randomise_gene(space::Configuration& configuration, const std::vector<space::Knob>& knobs,
                    base::Random& random);

/**
 * Returns the result of one step of AutoTVM's random walk: one random gene gets a different, uniformly random
 * value. Knobs with one value are not drawn; if there are no others, returns `from`.
 */
space::Configuration random_walk(const space::Configuration& from, const std::vector<space::Knob>& knobs,
                                 base::Random& random);

/**
 * Breeds a child as AutoTVM does: single-point crossover of two different parents, drawn by their weights,
 * and mutation of the result. A single parent is only mutated. @param weights one per parent
 */
space::Configuration breed_child(std::span<const space::Configuration> parents,
                                 std::span<const double> weights, const std::vector<space::Knob>& knobs,
                                 double mutation_probability, base::Random& random);

/**
 * Returns the spread of simulated binary crossover: the distance of the children from the midpoint of their
 * parents, where 1 is the distance of the parents.
 * @param uniform drawn from [0, 1)
 */
double simulated_binary_spread(double index, double uniform);

/** Returns a step of polynomial mutation, in [-1, 1] of the range. @param uniform drawn from [0, 1) */
double polynomial_step(double index, double uniform);

/** Draws two different items by roulette, in proportion to their weights. Requires at least two weights. */
std::pair<std::size_t, std::size_t> draw_distinct_pair(std::span<const double> weights, base::Random& random);

/** Returns the positions of the `count` largest values, largest first; equal values in their order. */
std::vector<std::size_t> best_positions(std::span<const double> values, std::size_t count);

}  // namespace kernelscape::tuner
