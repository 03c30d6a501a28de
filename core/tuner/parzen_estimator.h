#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/space/knob.h"

namespace kernelscape::tuner {

/**
 * Returns the weights of trials in a Parzen estimator, in the order of the trials: 1 for the latest 25, and
 * for older ones linearly less, down to 1 / n for the first (Optuna).
 */
std::vector<double> parzen_weights(std::size_t trials);

/**
 * The distribution of a knob's values in some trials: a mixture of a kernel for each trial and of a wide
 * prior (Bergstra et al. 2011, section 4), as Optuna makes it. For an ordinal knob the kernels are normal
 * distributions over the indices, cut off at the ends, as wide as the larger distance to the next trials, but
 * not narrower than a share of the range that falls with the number of trials. For any other knob a kernel is
 * the value of the trial plus a share of each value.
 */
class ParzenEstimator {
 public:
  /** @param trials the indices of the knob's values, in the order of the trials; may be empty */
  ParzenEstimator(const space::Knob& knob, std::span<const std::uint32_t> trials, double prior_weight);

  /** Draws an index. */
  std::uint32_t draw(base::Random& random) const;
  /** Returns the probability of an index. */
  double probability(std::uint32_t index) const;

 private:
  /** A normal distribution over the indices of an ordinal knob. */
  struct Normal {
    double mean = 0;
    double deviation = 0;
    double inside = 1;  ///< share of the whole distribution that lies within the range of the knob
  };

  void place_normals(std::span<const std::uint32_t> trials);
  double share_in(const Normal& normal, double from, double to) const;
  double share_of_each() const;

  std::uint32_t count_;
  bool ordered_;
  double prior_weight_;
  std::vector<double> weights_;        ///< one per kernel, of sum 1; the prior last
  std::vector<std::uint32_t> trials_;  ///< of a knob without order
  std::vector<Normal> normals_;        ///< of an ordered knob; the prior last
};

}  // namespace kernelscape::tuner
