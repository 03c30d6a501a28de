#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/space/grid_coordinates.h"
#include "core/surrogate/space_model.h"
#include "core/tuner/configuration_set.h"
#include "core/tuner/scored_members.h"
#include "core/tuner/visited.h"

namespace kernelscape::tuner {

/** Options of a pool. */
struct MemberPoolOptions {
  std::int64_t random_members = 2000;  ///< number drawn, including members that were already visited
  std::int64_t climbs = 3;             ///< rounds that add the neighbours of the best-scored members
  /// number of best trials whose neighbours are added, and number of members per climbing round
  std::size_t parents = 10;
  /**
   * Keeps the behavior of older sessions: the pool climbs once, before the first candidate of a batch is
   * picked, and discards all but the best drawn members.
   */
  bool once = false;
  /// number drawn, each of two of the best trials; results that are not members are left out
  std::int64_t recombinations = 300;
  /// number drawn, each from one of the best trials over two or three knobs at once
  std::int64_t walks = 300;
};

/**
 * A pool of members of a space that is too large to be scored as a whole, drawn again for each batch: random
 * members, the neighbours of the best trials, recombinations of these trials and walks from them. Before each
 * candidate the pool climbs: the neighbours of the best-scored members are added, scored by a model that
 * treats the predictions of earlier candidates of the batch as observations. So a later candidate need not
 * come from the same peak as the first. Every member is in the pool once, and was unvisited when it was
 * added.
 */
class MemberPool {
 public:
  /** @param coordinates,visited must outlive the pool */
  MemberPool(space::SearchSpace space, const space::GridCoordinates& coordinates, const Visited& visited,
             MemberPoolOptions options, base::Random random);

  /** Draws a new pool for a model. @param elites the best valid trials, best first */
  void draw(const surrogate::SpaceModel& model, std::span<const space::Configuration> elites);

  /**
   * Returns the unvisited member that ScoredMembers::best gives after the pool has climbed; nullopt if all
   * members were visited. Before the next call, the caller must mark the member as visited and add its
   * prediction to the model.
   */
  std::optional<space::Configuration> best(const surrogate::SpaceModel& model, base::Random* ties);

  /** Climbs as best() does, and returns the unvisited members with the largest scores, best first. */
  std::vector<space::Configuration> best_members(const surrogate::SpaceModel& model, std::size_t most);

  /**
   * Returns the members of the pool, including those visited since they were added; empty before the first
   * `draw`.
   */
  std::span<const space::Configuration> members() const;

 private:
  void draw_once(const surrogate::SpaceModel& model, std::span<const space::Configuration> elites);
  std::vector<space::Configuration> random_members();
  void climb(const surrogate::SpaceModel& model, std::size_t parents);
  void keep(std::vector<space::Configuration>& kept, const space::Configuration& configuration);
  void keep_neighbours(std::vector<space::Configuration>& kept, const space::Configuration& parent);
  space::Configuration recombined(std::span<const space::Configuration> elites);
  space::Configuration walked(std::span<const space::Configuration> elites);

  space::SearchSpace space_;
  const space::GridCoordinates& coordinates_;
  const Visited& visited_;
  MemberPoolOptions options_;
  base::Random random_;
  std::vector<std::size_t> movable_;  ///< knobs with more than one value
  std::optional<ScoredMembers> scored_;
  ConfigurationSet known_;    ///< members of the pool
  ConfigurationSet parents_;  ///< members whose neighbours are in the pool
  bool picked_ = false;       ///< true once a candidate was picked from this pool
};

}  // namespace kernelscape::tuner
