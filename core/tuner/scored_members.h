#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/space/grid_coordinates.h"
#include "core/surrogate/grid_posterior.h"
#include "core/surrogate/space_model.h"
#include "core/tuner/visited.h"

namespace kernelscape {

/**
 * Members that are scored together: a whole space, or a pool drawn from it. Keeps what a model says of all of
 * them, so that scoring again costs one pass per trial that is new.
 */
class ScoredMembers {
 public:
  ScoredMembers(std::vector<Configuration> members, const GridCoordinates& coordinates);

  /** By its number, as `best` gives it. */
  const Configuration& member(std::size_t number) const { return members_[number]; }
  /** In the order that they were given, visited ones included. */
  const std::vector<Configuration>& members() const { return members_; }

  /**
   * The unvisited member of the greatest expected improvement on the incumbent times the probability of being
   * valid (notes on the tuner, step 6); of equal ones the first. None: all were visited.
   */
  std::optional<std::size_t> best(const SpaceModel& model, const Visited& visited);

  /** The unvisited members of the greatest scores, best first. */
  std::vector<Configuration> best_members(const SpaceModel& model, const Visited& visited, std::size_t most);

 private:
  std::vector<double> scores(const SpaceModel& model);

  std::vector<Configuration> members_;
  std::vector<bool> visited_;  ///< those that are known to be
  GridPosterior performance_;
  std::optional<GridPosterior> feasibility_;
};

}  // namespace kernelscape
