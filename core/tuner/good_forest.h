#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/surrogate/random_forest.h"
#include "core/trial/trial.h"
#include "core/tuner/feature_rows.h"

namespace kernelscape::tuner {

/** How a trial counts in the training of a classifier. */
struct GoodLabel {
  bool good = false;
  double weight = 1;
};

/**
 * Returns which trials are good: those whose time is at most the quantile of the valid times. Good ones weigh
 * by how far below it they are, on average 1; others, and failed ones, weigh 1 (Song et al. 2022, as in
 * Helion).
 */
std::vector<GoodLabel> good_labels(std::span<const trial::Observation> trials, double quantile);

/**
 * A random forest that classifies configurations as good: its mean is the probability. A trial with a greater
 * weight is in the training data several times, rounded.
 */
class GoodForest {
 public:
  GoodForest(std::shared_ptr<const space::FeatureExtractor> features, int trees, std::uint64_t seed);

  /** Trains the forest; it knows nothing if all trials are alike. */
  Status fit(std::span<const trial::Observation> trials, double quantile);

  /**
   * Returns the positions of `count` configurations, one by one those with the largest probability minus
   * `penalty` times the mean similarity to the ones before: the share of the trees in which both end in the
   * same leaf. In random order if the forest knows nothing.
   */
  std::vector<std::size_t> select(std::span<const space::Configuration> configurations, std::size_t count,
                                  double penalty, base::Random& random);

 private:
  FeatureRows rows_;
  surrogate::ForestOptions options_;
  std::optional<surrogate::RandomForest> forest_;
};

}  // namespace kernelscape::tuner
