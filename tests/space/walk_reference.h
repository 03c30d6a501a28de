#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape::testing {

// OpEvo's random walk from the paper's formulas, with dense matrices: no code of topology.cpp, no
// Knob::neighbours.

/** Row u, column v. */
using Matrix = std::vector<std::vector<double>>;

inline bool is_prime(std::int64_t value) {
  for (std::int64_t divisor = 2; divisor * divisor <= value; ++divisor)
    if (value % divisor == 0) return false;
  return value > 1;
}

/** The adjacency function g(u, v) of OpEvo, section 3. */
inline bool adjacent(const space::Knob& knob, std::uint32_t u, std::uint32_t v) {
  if (u == v) return false;
  if (knob.kind() == space::KnobKind::Categorical) return true;
  if (knob.kind() == space::KnobKind::Ordinal) return u + 1 == v || v + 1 == u;
  std::vector<std::pair<std::int64_t, std::int64_t>> differing;
  for (int position = 0; position < knob.element_count(); ++position) {
    const std::pair both{knob.element(u, position), knob.element(v, position)};
    if (both.first != both.second) differing.push_back(both);
  }
  if (differing.size() != 2) return false;
  if (knob.kind() == space::KnobKind::Permutation) return true;
  if (differing[0].first > differing[0].second) std::swap(differing[0], differing[1]);
  // One factor became larger by a prime, the other one smaller by the same.
  const auto [small, large] = differing[0];
  return large % small == 0 && is_prime(large / small) &&
         differing[1].first * small == differing[1].second * large;
}

/** Adjacency with rows that add up to 1; where nothing is adjacent, the walk stays. */
inline Matrix steps_over(Matrix adjacency) {
  for (std::size_t u = 0; u < adjacency.size(); ++u) {
    double neighbours = 0;
    for (const double one : adjacency[u]) neighbours += one;
    for (double& one : adjacency[u]) one /= std::fmax(1, neighbours);
    if (neighbours == 0) adjacency[u][u] = 1;
  }
  return adjacency;
}

inline Matrix knob_steps(const space::Knob& knob) {
  Matrix adjacency(knob.count(), std::vector<double>(knob.count()));
  for (std::uint32_t u = 0; u < knob.count(); ++u)
    for (std::uint32_t v = 0; v < knob.count(); ++v) adjacency[u][v] = adjacent(knob, u, v) ? 1 : 0;
  return steps_over(std::move(adjacency));
}

/** One knob steps, among these configurations alone. */
inline Matrix configuration_steps(const std::vector<space::Knob>& knobs,
                                  const std::vector<space::Configuration>& configurations, std::size_t knob) {
  Matrix adjacency(configurations.size(), std::vector<double>(configurations.size()));
  for (std::size_t u = 0; u < configurations.size(); ++u) {
    for (std::size_t v = 0; v < configurations.size(); ++v) {
      space::Configuration moved = configurations[u];
      moved.indices[knob] = configurations[v].indices[knob];
      const bool same_others = moved == configurations[v];
      adjacency[u][v] = same_others && adjacent(knobs[knob], configurations[u].indices[knob],
                                                configurations[v].indices[knob])
                            ? 1
                            : 0;
    }
  }
  return steps_over(std::move(adjacency));
}

inline Matrix multiplied(const Matrix& a, const Matrix& b) {
  Matrix product(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[k].size(); ++j) product[i][j] += a[i][k] * b[k][j];
  return product;
}

/** (1 - q) * sum over t of q^t (W^t)(u, .): OpEvo, section 4.3, where the walk from u stops. */
inline std::vector<double> walk_sum(const Matrix& steps, std::size_t start, double q) {
  std::vector<double> stopped(steps.size());
  Matrix walking(1, std::vector<double>(steps.size()));
  walking[0][start] = 1;
  for (double weight = 1 - q; weight > 1e-17; weight *= q) {
    for (std::size_t v = 0; v < stopped.size(); ++v) stopped[v] += weight * walking[0][v];
    walking = multiplied(walking, steps);
  }
  return stopped;
}

/** All knobs walk, one after the other, among these configurations alone. */
inline Matrix mutation_matrix(const std::vector<space::Knob>& knobs,
                              const std::vector<space::Configuration>& configurations, double q) {
  Matrix mutation;
  for (std::size_t knob = 0; knob < knobs.size(); ++knob) {
    const Matrix steps = configuration_steps(knobs, configurations, knob);
    Matrix walks;
    for (std::size_t u = 0; u < steps.size(); ++u) walks.push_back(walk_sum(steps, u, q));
    mutation = mutation.empty() ? walks : multiplied(mutation, walks);
  }
  return mutation;
}

}  // namespace kernelscape::testing
