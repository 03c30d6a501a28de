#include "core/tuner/population.h"

#include <algorithm>
#include <functional>

namespace kernelscape::tuner {

std::vector<space::Configuration> Generation::take(std::size_t n) {
  const std::size_t end = std::min(taken_ + n, candidates_.size());
  std::vector<space::Configuration> piece(candidates_.begin() + static_cast<std::ptrdiff_t>(taken_),
                                          candidates_.begin() + static_cast<std::ptrdiff_t>(end));
  piece_begin_ = taken_;
  taken_ = end;
  return piece;
}

Proposal next_proposal(Generation& generation, std::size_t n, const Visited& visited) {
  std::vector<space::Configuration> candidates = generation.take(n);
  if (candidates.empty()) return visited.finished();
  return candidates;
}

std::vector<space::Configuration> best_of_history(const space::SearchSpace& space,
                                                  std::span<const trial::Observation> history,
                                                  std::size_t count) {
  std::vector<trial::Observation> members;
  for (const trial::Observation& observation : history) {
    if (observation.fitness > 0 && space.contains(observation.configuration)) members.push_back(observation);
  }
  std::ranges::stable_sort(members, std::greater{}, &trial::Observation::fitness);
  std::vector<space::Configuration> best;
  std::unordered_set<space::Configuration> seen;
  for (const trial::Observation& member : members) {
    if (best.size() == count) break;
    if (seen.insert(member.configuration).second) best.push_back(member.configuration);
  }
  return best;
}

std::vector<space::Configuration> initial_population(const Context& context, Visited& visited,
                                                     std::size_t size) {
  std::vector<space::Configuration> population = best_of_history(context.space, context.history, size / 2);
  for (const space::Configuration& configuration : population) visited.insert(configuration);
  visited.fill(population, size);
  return population;
}

}  // namespace kernelscape::tuner
