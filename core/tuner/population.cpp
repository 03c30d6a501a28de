#include "core/tuner/population.h"

#include <algorithm>
#include <functional>

namespace kernelscape {

std::vector<Configuration> Generation::take(std::size_t n) {
  const std::size_t end = std::min(taken_ + n, candidates_.size());
  std::vector<Configuration> piece(candidates_.begin() + static_cast<std::ptrdiff_t>(taken_),
                                   candidates_.begin() + static_cast<std::ptrdiff_t>(end));
  piece_begin_ = taken_;
  taken_ = end;
  return piece;
}

Proposal next_proposal(Generation& generation, std::size_t n, const Visited& visited) {
  std::vector<Configuration> candidates = generation.take(n);
  if (candidates.empty()) return visited.finished();
  return candidates;
}

std::vector<Configuration> best_of_history(const SearchSpace& space, std::span<const Observation> history,
                                           std::size_t count) {
  std::vector<Observation> members;
  for (const Observation& observation : history) {
    if (observation.fitness > 0 && space.contains(observation.configuration)) members.push_back(observation);
  }
  std::ranges::stable_sort(members, std::greater{}, &Observation::fitness);
  std::vector<Configuration> best;
  std::unordered_set<Configuration> seen;
  for (const Observation& member : members) {
    if (best.size() == count) break;
    if (seen.insert(member.configuration).second) best.push_back(member.configuration);
  }
  return best;
}

std::vector<Configuration> initial_population(const TunerContext& context, Visited& visited,
                                              std::size_t size) {
  std::vector<Configuration> population = best_of_history(context.space, context.history, size / 2);
  for (const Configuration& configuration : population) visited.insert(configuration);
  while (population.size() < size) {
    auto member = visited.take_random();
    if (!member) break;
    population.push_back(std::move(*member));
  }
  return population;
}

}  // namespace kernelscape
