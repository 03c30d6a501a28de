#pragma once

#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/tuner/constrained_search.h"

namespace kernelscape::tuner {

/** Returns the sum of an individual's violations; 0 for members of the space. */
double total_violation(const Individual& individual);

/**
 * Ranks individuals by stochastic ranking (Runarsson and Yao): a bubble sort, best first, that compares
 * neighbours by prediction if both are members or with the probability `by_prediction`, otherwise by total
 * violation.
 * @param sweeps maximum number of sweeps; the sort ends with a sweep that swaps nothing
 */
std::vector<std::size_t> stochastic_ranking(std::span<const Individual> individuals, std::int64_t sweeps,
                                            double by_prediction, base::Random& random);

/**
 * Returns IDEA's violation measure of each individual: the sum over the constraints of the individual's rank
 * among the different violations of that constraint, 0 for no violation.
 */
std::vector<double> violation_measures(std::span<const Individual> individuals);

/**
 * Orders numbers as NSGA-II does: by nondominated front, where larger scores and smaller costs are better;
 * within a front by crowding distance, the largest first.
 */
std::vector<std::size_t> nondominated_order(std::span<const double> scores, std::span<const double> costs);

/**
 * Returns the survivors of IDEA, best first: a share of infeasible individuals, ordered by prediction and
 * violation together, followed by the members, ordered by prediction. If one of the two groups is too small,
 * the other fills its places.
 */
std::vector<std::size_t> infeasibility_driven_ranking(std::span<const Individual> individuals,
                                                      std::size_t count, double infeasible_share);

}  // namespace kernelscape::tuner
