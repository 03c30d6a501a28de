#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/space/grid_coordinates.h"
#include "core/surrogate/grid_posterior.h"
#include "core/surrogate/space_model.h"
#include "core/tuner/visited.h"

namespace kernelscape {

/**
 * Members that are scored together: a whole space, or a pool drawn from it. Caches the model's posterior of
 * all members, so that scoring again costs one pass per new trial, and nothing if the model has not changed.
 * To be used with one model only.
 */
class ScoredMembers {
 public:
  ScoredMembers(std::vector<Configuration> members, const GridCoordinates& coordinates);

  /** Adds members after the existing ones. @param coordinates those of the first members */
  void add(std::vector<Configuration> members, const GridCoordinates& coordinates);

  /** Returns the member with a number that `best` returned. */
  const Configuration& member(std::size_t number) const { return members_[number]; }
  /** Returns the members in the order in which they were added, including visited members. */
  const std::vector<Configuration>& members() const { return members_; }

  /**
   * Returns the number of the unvisited member with the largest expected improvement on the incumbent times
   * the probability of being valid; nullopt if all were visited.
   * @param ties draws one of several equal members; null: the first is taken
   */
  std::optional<std::size_t> best(const SpaceModel& model, const Visited& visited, Random* ties = nullptr);

  /** Returns the unvisited members with the largest scores, best first, equal ones in their order. */
  std::vector<Configuration> best_members(const SpaceModel& model, const Visited& visited, std::size_t most);

 private:
  /** Members that were added together, with the model's posterior of them. */
  struct Part {
    std::size_t first = 0;  ///< number of its first member
    GridPosterior performance;
    std::optional<GridPosterior> feasibility = {};
    std::optional<std::uint64_t> scored = {};  ///< the model's revision at which the scores were computed
  };

  void score(const SpaceModel& model);
  void score_part(const SpaceModel& model, Part& part);
  std::vector<std::size_t> greatest_unvisited(const Visited& visited);

  std::vector<Configuration> members_;
  std::vector<bool> visited_;   ///< true for each member known to be visited
  std::vector<double> scores_;  ///< one per member
  std::vector<Part> parts_;
};

}  // namespace kernelscape
