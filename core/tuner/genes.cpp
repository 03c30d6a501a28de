#include "core/tuner/genes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace kernelscape::tuner {
namespace {

/** Draws uniformly among the knob's values except `index`. Requires at least two values. */
std::uint32_t another_value(const space::Knob& knob, std::uint32_t index, base::Random& random) {
  const auto other = static_cast<std::uint32_t>(random.below(knob.count() - 1));
  return other < index ? other : other + 1;
}

}  // namespace

space::Configuration crossover(const space::Configuration& first, const space::Configuration& second,
                               std::size_t point) {
  space::Configuration child = second;
  std::copy_n(first.indices.begin(), point, child.indices.begin());
  return child;
}

void mutate(space::Configuration& configuration, const std::vector<space::Knob>& knobs, double probability,
            base::Random& random) {
  for (std::size_t gene = 0; gene < knobs.size(); ++gene) {
    if (!random.chance(probability)) continue;
    configuration.indices[gene] = static_cast<std::uint32_t>(random.below(knobs[gene].count()));
  }
}

void mutate_to_others(space::Configuration& configuration, const std::vector<space::Knob>& knobs,
                      double probability, base::Random& random) {
  for (std::size_t gene = 0; gene < knobs.size(); ++gene) {
    if (knobs[gene].count() < 2 || !random.chance(probability)) continue;
    configuration.indices[gene] = another_value(knobs[gene], configuration.indices[gene], random);
  }
}

void randomise_gene(space::Configuration& configuration, const std::vector<space::Knob>& knobs,
                    base::Random& random) {
  const std::size_t gene = random.below(knobs.size());
  configuration.indices[gene] = static_cast<std::uint32_t>(random.below(knobs[gene].count()));
}

space::Configuration random_walk(const space::Configuration& from, const std::vector<space::Knob>& knobs,
                                 base::Random& random) {
  space::Configuration to = from;
  if (std::ranges::all_of(knobs, [](const space::Knob& knob) { return knob.count() == 1; })) return to;
  std::size_t gene = 0;
  do gene = random.below(knobs.size());
  while (knobs[gene].count() == 1);
  to.indices[gene] = another_value(knobs[gene], from.indices[gene], random);
  return to;
}

space::Configuration breed_child(std::span<const space::Configuration> parents,
                                 std::span<const double> weights, const std::vector<space::Knob>& knobs,
                                 double mutation_probability, base::Random& random) {
  space::Configuration child = parents.front();
  if (parents.size() > 1) {
    const auto [first, second] = draw_distinct_pair(weights, random);
    child = crossover(parents[first], parents[second], random.below(knobs.size()));
  }
  mutate(child, knobs, mutation_probability, random);
  return child;
}

double simulated_binary_spread(double index, double uniform) {
  const double power = 1 / (index + 1);
  return uniform <= 0.5 ? std::pow(2 * uniform, power) : std::pow(1 / (2 * (1 - uniform)), power);
}

double polynomial_step(double index, double uniform) {
  const double power = 1 / (index + 1);
  return uniform < 0.5 ? std::pow(2 * uniform, power) - 1 : 1 - std::pow(2 * (1 - uniform), power);
}

std::pair<std::size_t, std::size_t> draw_distinct_pair(std::span<const double> weights,
                                                       base::Random& random) {
  const std::size_t first = random.weighted(weights);
  std::vector<double> others(weights.begin(), weights.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(first));
  const std::size_t second = random.weighted(others);
  return {first, second < first ? second : second + 1};
}

std::vector<std::size_t> best_positions(std::span<const double> values, std::size_t count) {
  std::vector<std::size_t> positions(values.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::ranges::stable_sort(positions, std::greater{},
                           [values](std::size_t position) { return values[position]; });
  positions.resize(std::min(count, positions.size()));
  return positions;
}

}  // namespace kernelscape::tuner
