#include "core/tuner/start_design.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace kernelscape::tuner {

StartDesign::StartDesign(space::SearchSpace space, StartRule rule, std::int64_t candidates,
                         base::Random random)
    : space_(std::move(space)), rule_(rule), candidates_(candidates), random_(std::move(random)) {}

std::vector<StartDesign::Candidate> StartDesign::draw(const space::GridCoordinates& coordinates,
                                                      const Visited& visited) {
  std::vector<Candidate> drawn;
  for (space::Configuration& member : space_.random_members(candidates_, random_)) {
    if (visited.contains(member)) continue;
    Candidate candidate{std::move(member), {}, std::numeric_limits<double>::infinity()};
    candidate.point = coordinates.of(candidate.member);
    for (const base::GridPoint& taken : taken_)
      candidate.nearest =
          std::min(candidate.nearest, space::grid_distance(coordinates.columns(), candidate.point, taken));
    drawn.push_back(std::move(candidate));
  }
  return drawn;
}

std::optional<space::Configuration> StartDesign::next(const space::GridCoordinates& coordinates,
                                                      Visited& visited) {
  std::vector<Candidate> drawn = draw(coordinates, visited);
  const auto left_distance = [&](const base::GridPoint& point) {
    double sum = 0;
    for (const Candidate& other : drawn)
      sum += std::min(other.nearest, space::grid_distance(coordinates.columns(), other.point, point));
    return sum;
  };
  Candidate* chosen = nullptr;
  double greatest = -std::numeric_limits<double>::infinity();
  for (Candidate& candidate : drawn) {
    const double value = rule_ == StartRule::Farthest ? candidate.nearest : -left_distance(candidate.point);
    if (value <= greatest) continue;
    greatest = value;
    chosen = &candidate;
  }
  if (chosen == nullptr) {
    std::optional<space::Configuration> any = visited.take_random();
    if (any) add(coordinates.of(*any));
    return any;
  }
  add(chosen->point);
  visited.insert(chosen->member);
  return std::move(chosen->member);
}

}  // namespace kernelscape::tuner
