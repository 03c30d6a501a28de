#include "core/tuner/adaptive_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace kernelscape::tuner {
namespace {

std::size_t nearest_centroid(const space::Configuration& point,
                             std::span<const space::Configuration> centroids) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t number = 0; number < centroids.size(); ++number) {
    const double distance = squared_distance(point, centroids[number]);
    if (distance >= least) continue;
    least = distance;
    nearest = number;
  }
  return nearest;
}

/** Assigns each point to its nearest centroid and computes the loss. @return true if an assignment changed */
bool assign(std::span<const space::Configuration> points, Clusters& clusters) {
  std::vector<std::size_t> assignment;
  clusters.loss = 0;
  for (const space::Configuration& point : points) {
    assignment.push_back(nearest_centroid(point, clusters.centroids));
    clusters.loss += squared_distance(point, clusters.centroids[assignment.back()]);
  }
  const bool changed = assignment != clusters.assignment;
  clusters.assignment = std::move(assignment);
  return changed;
}

/** Moves each centroid to the mean of its cluster, or to a random point if the cluster is empty. */
void move_centroids(std::span<const space::Configuration> points, Clusters& clusters, base::Random& random) {
  const std::size_t knobs = points.front().indices.size();
  std::vector<std::vector<std::uint64_t>> sums(clusters.centroids.size(), std::vector<std::uint64_t>(knobs));
  std::vector<std::uint64_t> sizes(clusters.centroids.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    ++sizes[clusters.assignment[i]];
    for (std::size_t knob = 0; knob < knobs; ++knob)
      sums[clusters.assignment[i]][knob] += points[i].indices[knob];
  }
  for (std::size_t number = 0; number < sizes.size(); ++number) {
    if (sizes[number] == 0) {
      clusters.centroids[number] = points[random.below(points.size())];
      continue;
    }
    for (std::size_t knob = 0; knob < knobs; ++knob)
      clusters.centroids[number].indices[knob] =
          static_cast<std::uint32_t>(sums[number][knob] / sizes[number]);
  }
}

}  // namespace

double squared_distance(const space::Configuration& first, const space::Configuration& second) {
  double sum = 0;
  for (std::size_t knob = 0; knob < first.indices.size(); ++knob) {
    const double difference =
        static_cast<double>(first.indices[knob]) - static_cast<double>(second.indices[knob]);
    sum += difference * difference;
  }
  return sum;
}

Clusters k_means(std::span<const space::Configuration> points, std::size_t centroids, std::int64_t iterations,
                 base::Random random) {
  Clusters clusters;
  for (std::size_t number = 0; number < centroids; ++number)
    clusters.centroids.push_back(points[random.below(points.size())]);
  assign(points, clusters);
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    move_centroids(points, clusters, random);
    if (!assign(points, clusters)) break;
  }
  return clusters;
}

Clusters clusters_at_knee(std::span<const space::Configuration> points, const AdaptiveSampling& options,
                          const base::Random& random) {
  const std::size_t most = std::min(options.max_clusters, points.size());
  std::size_t centroids = std::min(options.cluster_step, most);
  double last_loss = std::numeric_limits<double>::infinity();
  while (true) {
    Clusters clusters =
        k_means(points, centroids, options.iterations, random.fork(fmt::format("{} centroids", centroids)));
    const bool knee = clusters.loss >= last_loss / options.knee;
    if (knee || centroids + options.cluster_step > most) return clusters;
    last_loss = clusters.loss;
    centroids += options.cluster_step;
  }
}

space::Configuration mode_of(std::span<const space::Configuration> points) {
  space::Configuration mode = points.front();
  for (std::size_t knob = 0; knob < mode.indices.size(); ++knob) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const space::Configuration& point : points) ++counts[point.indices[knob]];
    mode.indices[knob] =
        std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; })->first;
  }
  return mode;
}

}  // namespace kernelscape::tuner
