#pragma once

#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/tuner/constrained_search.h"

namespace kernelscape {

/** The sum of what an individual violates; 0 of members. */
double total_violation(const Individual& individual);

/**
 * Stochastic ranking (Runarsson and Yao): a bubble sort, best first, that compares neighbours by prediction
 * if both are members, else with this probability, and by total violation otherwise.
 * @param sweeps at most; it ends with one that swaps nothing
 */
std::vector<std::size_t> stochastic_ranking(std::span<const Individual> individuals, std::int64_t sweeps,
                                            double by_prediction, Random& random);

/** Sum over the constraints of an individual's place among the different violations of each, 0 for none
 * (IDEA). */
std::vector<double> violation_measures(std::span<const Individual> individuals);

/**
 * NSGA-II: numbers ordered by the front that nobody of a later one dominates, first larger scores, second
 * smaller costs; within a front by crowding distance, the loneliest first.
 */
std::vector<std::size_t> nondominated_order(std::span<const double> scores, std::span<const double> costs);

/**
 * The survivors of IDEA, best first: this share of them infeasible, ordered by prediction and violation
 * together, before the members by prediction. Where one of both are too few the others take their places.
 */
std::vector<std::size_t> infeasibility_driven_ranking(std::span<const Individual> individuals,
                                                      std::size_t count, double infeasible_share);

}  // namespace kernelscape
