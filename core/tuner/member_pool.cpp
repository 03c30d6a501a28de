#include "core/tuner/member_pool.h"

#include <algorithm>
#include <utility>

#include "core/space/topology.h"

namespace kernelscape::tuner {
namespace {

/**
 * For a pool that climbs once: the best `kept_per_parent` x parents are kept, and the neighbours of the best
 * tenth of these are added.
 */
constexpr std::size_t kept_per_parent = 10;
/**
 * Divides the number of parents of a climb for a later candidate: most of the best-scored members were
 * parents before.
 */
constexpr std::size_t later_parents_divisor = 3;

/** Appends the neighbours that were not visited. */
void add_unvisited_neighbours(std::vector<space::Configuration>& pool,
                              std::span<const space::Configuration> parents, const space::SearchSpace& space,
                              const Visited& visited) {
  for (const space::Configuration& parent : parents) {
    for (space::Configuration& neighbour : space::neighbours(space, parent))
      if (!visited.contains(neighbour)) pool.push_back(std::move(neighbour));
  }
}

}  // namespace

MemberPool::MemberPool(space::SearchSpace space, const space::GridCoordinates& coordinates,
                       const Visited& visited, MemberPoolOptions options, base::Random random)
    : space_(std::move(space)),
      coordinates_(coordinates),
      visited_(visited),
      options_(options),
      random_(std::move(random)),
      known_(space_),
      parents_(space_) {
  for (std::size_t knob = 0; knob < space_.knobs().size(); ++knob)
    if (space_.knobs()[knob].count() > 1) movable_.push_back(knob);
}

std::span<const space::Configuration> MemberPool::members() const {
  return scored_ ? std::span(scored_->members()) : std::span<const space::Configuration>();
}

void MemberPool::draw(const surrogate::SpaceModel& model, std::span<const space::Configuration> elites) {
  picked_ = false;
  if (options_.once) {
    draw_once(model, elites);
    return;
  }
  known_ = ConfigurationSet(space_);
  parents_ = ConfigurationSet(space_);
  std::vector<space::Configuration> pool;
  for (const space::Configuration& member : random_members()) keep(pool, member);
  // The trials among the elites are visited; members that a source was fast at need not be.
  for (const space::Configuration& elite : elites) keep(pool, elite);
  for (const space::Configuration& elite : elites) keep_neighbours(pool, elite);
  if (elites.size() > 1) {
    for (std::int64_t i = 0; i < options_.recombinations; ++i) keep(pool, recombined(elites));
  }
  // Walks over a single knob only lead to neighbours, which are added anyway.
  if (!elites.empty() && movable_.size() > 1) {
    for (std::int64_t i = 0; i < options_.walks; ++i) keep(pool, walked(elites));
  }
  scored_.emplace(std::move(pool), coordinates_);
}

void MemberPool::draw_once(const surrogate::SpaceModel& model, std::span<const space::Configuration> elites) {
  std::vector<space::Configuration> pool = random_members();
  add_unvisited_neighbours(pool, elites, space_, visited_);
  for (std::int64_t climb = 0; climb < options_.climbs; ++climb) {
    ScoredMembers scored(std::move(pool), coordinates_);
    pool = scored.best_members(model, visited_, kept_per_parent * options_.parents);
    const std::vector<space::Configuration> best(
        pool.begin(), pool.begin() + std::ssize(pool) / std::ptrdiff_t{kept_per_parent});
    add_unvisited_neighbours(pool, best, space_, visited_);
  }
  scored_.emplace(std::move(pool), coordinates_);
}

std::vector<space::Configuration> MemberPool::random_members() {
  std::vector<space::Configuration> members = space_.random_members(options_.random_members, random_);
  std::erase_if(members, [&](const space::Configuration& member) { return visited_.contains(member); });
  return members;
}

std::optional<space::Configuration> MemberPool::best(const surrogate::SpaceModel& model, base::Random* ties) {
  if (!scored_) return std::nullopt;
  if (!options_.once)
    climb(model,
          picked_ ? std::max<std::size_t>(1, options_.parents / later_parents_divisor) : options_.parents);
  picked_ = true;
  const std::optional<std::size_t> best = scored_->best(model, visited_, ties);
  if (!best) return std::nullopt;
  return scored_->member(*best);
}

std::vector<space::Configuration> MemberPool::best_members(const surrogate::SpaceModel& model,
                                                           std::size_t most) {
  if (!scored_) return {};
  if (!options_.once) climb(model, options_.parents);
  return scored_->best_members(model, visited_, most);
}

void MemberPool::climb(const surrogate::SpaceModel& model, std::size_t parents) {
  for (std::int64_t climb = 0; climb < options_.climbs; ++climb) {
    std::vector<space::Configuration> found;
    for (const space::Configuration& parent : scored_->best_members(model, visited_, parents))
      keep_neighbours(found, parent);
    if (found.empty()) return;
    scored_->add(std::move(found), coordinates_);
  }
}

/** Appends a configuration if it is a member, unvisited and not yet in the pool. */
void MemberPool::keep(std::vector<space::Configuration>& kept, const space::Configuration& configuration) {
  if (!space_.contains(configuration) || visited_.contains(configuration)) return;
  if (known_.insert(configuration)) kept.push_back(configuration);
}

void MemberPool::keep_neighbours(std::vector<space::Configuration>& kept,
                                 const space::Configuration& parent) {
  if (!parents_.insert(parent)) return;
  for (const space::Configuration& neighbour : space::neighbours(space_, parent)) keep(kept, neighbour);
}

/** Returns a configuration with, for each knob, the value of one of two different elites. */
space::Configuration MemberPool::recombined(std::span<const space::Configuration> elites) {
  const std::size_t first = random_.below(elites.size());
  std::size_t second = random_.below(elites.size() - 1);
  if (second >= first) ++second;
  constexpr double share_of_second = 0.5;
  space::Configuration child = elites[first];
  for (std::size_t knob = 0; knob < child.indices.size(); ++knob)
    if (random_.chance(share_of_second)) child.indices[knob] = elites[second].indices[knob];
  return child;
}

/**
 * Returns a configuration in which two or three knobs each take one step to a neighbour, and each further
 * step with a probability of 1/2.
 */
space::Configuration MemberPool::walked(std::span<const space::Configuration> elites) {
  constexpr double going_on = 0.5;
  space::Configuration end = elites[random_.below(elites.size())];
  std::vector<std::size_t> knobs = movable_;
  const std::size_t moved = std::min<std::size_t>(2 + random_.below(2), knobs.size());
  for (std::size_t i = 0; i < moved; ++i) {
    std::swap(knobs[i], knobs[i + random_.below(knobs.size() - i)]);
    std::uint32_t& index = end.indices[knobs[i]];
    do {
      index = space::random_neighbour(space_.knobs()[knobs[i]], index, random_);
    } while (random_.chance(going_on));
  }
  return end;
}

}  // namespace kernelscape::tuner
