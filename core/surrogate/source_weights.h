#pragma once

#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/product_kernel.h"

namespace kernelscape::surrogate {

/** How much the model of a space uses a source. */
struct SourceWeight {
  double weight = 0;  ///< in [0, 1]; the weights of all sources sum to at most 1
  double slope = 1;   ///< rho in value = a + rho source + residual, at least 0

  bool operator==(const SourceWeight&) const = default;
};

/**
 * Returns the weight of each source from how well a model with the source predicts the measured values that
 * it has not seen.
 *
 * Model s is value = a + rho source_s + residual, where the residual is a Gaussian process and rho has the
 * prior N(1, 1/4); a further model has no source. Each predicts every value from all others (leave-one-out:
 * Dubrule 1983). As in RGPE (Feurer, Letham, Bakshy: Scalable Meta-Learning for Bayesian Optimization using
 * Ranking-Weighted Gaussian Process Ensembles, AutoML 2018), predictions are drawn, and a model's weight is
 * the share of draws in which it misranks the fewest pairs; models with equally few share a draw. A source
 * whose median number of misranked pairs is above the 95th percentile of the model without source has weight
 * 0, so that many poor sources cannot dilute a good one. Departing from RGPE, only the share that sources win
 * beyond chance counts, and with few points the weights are close to equal ones of sum 1.
 *
 * @param sources the sources' predictions, one per point each
 * @return with fewer than three points, or if all values are equal, equal weights of sum 1 and slope 1
 */
std::vector<SourceWeight> source_weights(const ProductKernel& kernel, double nugget,
                                         std::span<const base::GridPoint> points,
                                         std::span<const double> values,
                                         const std::vector<std::vector<double>>& sources,
                                         base::Random& random);

}  // namespace kernelscape::surrogate
