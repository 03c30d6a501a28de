#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"

namespace kernelscape {

/** Limits of what is computed: larger ones would take seconds. */
constexpr std::uint32_t most_walk_values = 20'000;
constexpr double most_walk_rate = 0.99;

/**
 * Where a q-random walk over a knob's values ends (OpEvo, section 4.3, equation 3): from u it stops with
 * probability 1 - q, else goes on to one of the neighbours S(u), each with q / |S(u)|; P_u(v) = (1 - q) * sum
 * over t of q^t (W^t)(u, v), W(u, v) = 1 / |S(u)|. A value without neighbours keeps the walk. The sum goes on
 * until less than 1e-12 still walks, which then counts where it is; a categorical knob's is in closed form.
 *
 * Errors: q not in [0, 0.99], no such value, a knob of over 20,000 values that is not categorical.
 * @return probability of each value; they add up to 1
 */
Result<std::vector<double>> walk_distribution(const Knob& knob, std::uint32_t start, double q);

/**
 * Where a mutation leads (OpEvo, section 4.3): every knob walks once, independently of the others. What is no
 * member of the space counts too; OpEvo's tuner draws again then.
 */
class MutationDistribution {
 public:
  /** Errors: those of walk_distribution, a configuration that does not fit the space. */
  static Result<MutationDistribution> make(const SearchSpace& space, const Configuration& start, double q);

  /** Product over the knobs; the start's own probability is that of no change. */
  double probability(const Configuration& configuration) const;
  const std::vector<std::vector<double>>& knobs() const { return knobs_; }

 private:
  std::vector<std::vector<double>> knobs_;
};

}  // namespace kernelscape
