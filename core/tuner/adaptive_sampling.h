#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/space/configuration.h"

namespace kernelscape::tuner {

/** Configurations in clusters around centroids, which need be neither configurations of them nor members. */
struct Clusters {
  std::vector<space::Configuration> centroids;
  std::vector<std::size_t> assignment;  ///< for each configuration the number of its centroid
  double loss = 0;  ///< the sum of the squared distances of the configurations to their centroids
};

/** Options of adaptive sampling; the defaults are those of Chameleon and its program. */
struct AdaptiveSampling {
  std::size_t cluster_step = 8;   ///< the numbers of centroids that are tried are its multiples
  std::size_t max_clusters = 64;  ///< largest number of centroids that is tried
  double knee = 2.5;              ///< the loss has to fall by more than this factor for more to be tried
  std::int64_t iterations = 100;  ///< largest number of iterations of k-means
};

/** Returns the squared Euclidean distance of two configurations' indices. */
double squared_distance(const space::Configuration& first, const space::Configuration& second);

/**
 * Clusters configurations by k-means over the indices of the knobs' values. Centroids are means, rounded
 * down; they start at random configurations, as does one whose cluster is empty. Of equally near centroids
 * the first is taken. Ends when no assignment changes, or after `iterations`.
 * @param points at least one; all have the same knobs
 */
Clusters k_means(std::span<const space::Configuration> points, std::size_t centroids, std::int64_t iterations,
                 base::Random random);

/**
 * Clusters configurations with as many centroids as the knee of the loss demands (Chameleon, algorithm 1):
 * tries more and more until the loss falls by no more than the factor `knee`, and returns the last try. There
 * are never more centroids than points: for fewer points than one step there are as many as points.
 * @param points at least one
 */
Clusters clusters_at_knee(std::span<const space::Configuration> points, const AdaptiveSampling& options,
                          const base::Random& random);

/**
 * Returns the most frequent value of each knob; of equally frequent values the first. @param points at least
 * one
 */
space::Configuration mode_of(std::span<const space::Configuration> points);

}  // namespace kernelscape::tuner
