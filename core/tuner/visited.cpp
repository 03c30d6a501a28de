#include "core/tuner/visited.h"

#include <fmt/format.h>

#include <utility>

#include "core/tuner/genes.h"

namespace kernelscape::tuner {
namespace {

constexpr int max_draws = 100;
constexpr std::size_t max_listed = 65'536;
constexpr std::size_t max_solved = 256;
/// Bounds the time of a walk through a space with few members.
constexpr std::uint64_t max_steps = std::uint64_t{1} << 24;

}  // namespace

std::string solver_gave_up_text() {
  return fmt::format(
      "no unvisited feasible configuration was found: the constraint solver gave up after trying {} values",
      further_member_limits.nodes);
}

Visited::Visited(space::SearchSpace space, base::Random random)
    : space_(std::move(space)), random_(std::move(random)), visited_(space_) {}

void Visited::erase(const space::Configuration& configuration) {
  if (!visited_.erase(configuration)) return;
  whole_space_visited_ = false;
  if (!unvisited_.empty()) unvisited_.push_back(configuration);
}

std::optional<space::Configuration> Visited::take_random() {
  if (whole_space_visited_) return std::nullopt;
  if (unvisited_.empty()) {
    for (int attempt = 0; attempt < max_draws; ++attempt) {
      const auto member = space_.random_member(random_);
      if (!member) break;
      if (insert(*member)) return member;
    }
  }
  if (auto listed = take_listed()) return listed;
  list_unvisited();
  return take_listed();
}

std::optional<space::Configuration> Visited::take_listed() {
  while (!unvisited_.empty()) {
    std::swap(unvisited_[random_.below(unvisited_.size())], unvisited_.back());
    space::Configuration configuration = std::move(unvisited_.back());
    unvisited_.pop_back();
    if (insert(configuration)) return configuration;
  }
  return std::nullopt;
}

void Visited::list_unvisited() {
  space::MemberWalk walk(space_, random_);
  if (!rare_) list_walked(walk);
  // A walk that is too long to end finds nothing where members are rare: the constraint solver does.
  rare_ = rare_ || (unvisited_.empty() && !walk.done() && !space_.samples_uniformly());
  if (rare_) list_solved(walk);
  whole_space_visited_ = unvisited_.empty() && walk.done();
}

void Visited::list_walked(space::MemberWalk& walk) {
  for (std::uint64_t step = 0; step < max_steps && unvisited_.size() < max_listed && !walk.done(); ++step) {
    const auto member = walk.next(1);
    if (member && !contains(*member)) unvisited_.push_back(*member);
  }
}

void Visited::list_solved(space::MemberWalk& walk) {
  space::SolverLimits limits = further_member_limits;
  solver_gave_up_ = false;
  for (std::uint64_t step = 0; step < max_steps && unvisited_.size() < max_solved && !walk.done(); ++step) {
    solver_gave_up_ = !walk.skip(limits);
    if (solver_gave_up_) return;
    const auto member = walk.next(1);
    if (member && !contains(*member)) unvisited_.push_back(*member);
  }
}

void Visited::fill(std::vector<space::Configuration>& configurations, std::size_t count) {
  while (configurations.size() < count) {
    auto member = take_random();
    if (!member) break;
    configurations.push_back(std::move(*member));
  }
}

std::optional<space::Configuration> Visited::take_drawn(base::Random& random, const Draw& draw) {
  for (int attempt = 0; attempt < max_draws; ++attempt) {
    space::Configuration candidate = draw(random);
    const bool member = space_.contains(candidate);
    if (attempt == 0) drawn_.count(member);
    if (member && insert(candidate)) return candidate;
  }
  return take_random();
}

std::optional<space::Configuration> Visited::take_child(base::Random& random, const Draw& breed) {
  std::optional<space::Configuration> child = draw_child(space_, random, breed, drawn_);
  for (int attempt = 0; child && attempt < max_draws; ++attempt) {
    if (insert(*child)) return child;
    space::Configuration changed = *child;
    randomise_gene(changed, space_.knobs(), random);
    if (space_.contains(changed)) child = std::move(changed);
  }
  return take_random();
}

Finished Visited::finished() const {
  if (whole_space_visited_)
    return {visited_.empty() ? "the space has no feasible configurations" : "the whole space was visited"};
  if (solver_gave_up_) return {solver_gave_up_text()};
  return {fmt::format("no unvisited feasible configuration was found among {} consecutive configurations",
                      max_steps)};
}

}  // namespace kernelscape::tuner
