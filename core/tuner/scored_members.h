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
 * Members that are scored together: a whole space, or a pool drawn from it. Keeps what a model says of all of
 * them, so that scoring again costs one pass per trial that is new, and nothing where the model is as it was.
 * Of one model alone.
 */
class ScoredMembers {
 public:
  ScoredMembers(std::vector<Configuration> members, const GridCoordinates& coordinates);

  /** More of them, after those that are there. @param coordinates as those of the first */
  void add(std::vector<Configuration> members, const GridCoordinates& coordinates);

  /** By its number, as `best` gives it. */
  const Configuration& member(std::size_t number) const { return members_[number]; }
  /** In the order that they were given, visited ones included. */
  const std::vector<Configuration>& members() const { return members_; }

  /**
   * The unvisited member of the greatest expected improvement on the incumbent times the probability of being
   * valid. None: all were visited.
   * @param ties draws one of equal ones; null: the first
   */
  std::optional<std::size_t> best(const SpaceModel& model, const Visited& visited, Random* ties = nullptr);

  /** The unvisited members of the greatest scores, best first, equal ones in their order. */
  std::vector<Configuration> best_members(const SpaceModel& model, const Visited& visited, std::size_t most);

 private:
  /** Members that were added together, with what the model says of them. */
  struct Part {
    std::size_t first = 0;  ///< its first member
    GridPosterior performance;
    std::optional<GridPosterior> feasibility = {};
    std::optional<std::uint64_t> scored = {};  ///< the model's revision that the scores are of
  };

  void score(const SpaceModel& model);
  void score_part(const SpaceModel& model, Part& part);
  std::vector<std::size_t> greatest_unvisited(const Visited& visited);

  std::vector<Configuration> members_;
  std::vector<bool> visited_;   ///< those that are known to be
  std::vector<double> scores_;  ///< one per member
  std::vector<Part> parts_;
};

}  // namespace kernelscape
