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

namespace kernelscape {

/** What a pool is made of. */
struct MemberPoolOptions {
  std::int64_t random_members = 2000;  ///< drawn, with those that are visited already
  std::int64_t climbs = 3;             ///< rounds of neighbours of what scores best
  std::size_t parents = 10;            ///< the best trials whose neighbours are in it, and those of a round
  /**
   * As sessions of before have it: the pool climbs once, before the first candidate of a batch is picked, and
   * leaves behind all but the best of what it was drawn from.
   */
  bool once = false;
  std::int64_t recombinations = 300;  ///< of two of the best trials, drawn; what is no member is left out
  std::int64_t walks = 300;           ///< from one of the best trials, over two or three knobs at once
};

/**
 * Members of a space that is too large to be scored as a whole, drawn anew for each batch: random ones, the
 * neighbours of the best trials, recombinations of these and walks from them. Before each candidate it
 * climbs: the neighbours of what scores best are added, by a model that believes in the candidates before it.
 * So a later candidate need not come from the first one's peak. Every member is there once, none was visited
 * when it was added.
 */
class MemberPool {
 public:
  /** @param coordinates,visited outlive the pool */
  MemberPool(SearchSpace space, const GridCoordinates& coordinates, const Visited& visited,
             MemberPoolOptions options, Random random);

  /** A fresh one, of one model. @param elites the best valid trials, best first */
  void draw(const SpaceModel& model, std::span<const Configuration> elites);

  /**
   * The unvisited member that ScoredMembers::best gives, after the pool has climbed. None: all were visited.
   * The caller visits it and lets the model believe in it before it asks again.
   */
  std::optional<Configuration> best(const SpaceModel& model, Random* ties);

  /** What it has come to, those visited since included; empty before the first `draw`. */
  std::span<const Configuration> members() const;

 private:
  void draw_once(const SpaceModel& model, std::span<const Configuration> elites);
  std::vector<Configuration> random_members();
  void climb(const SpaceModel& model, std::size_t parents);
  void keep(std::vector<Configuration>& kept, const Configuration& configuration);
  void keep_neighbours(std::vector<Configuration>& kept, const Configuration& parent);
  Configuration recombined(std::span<const Configuration> elites);
  Configuration walked(std::span<const Configuration> elites);

  SearchSpace space_;
  const GridCoordinates& coordinates_;
  const Visited& visited_;
  MemberPoolOptions options_;
  Random random_;
  std::vector<std::size_t> movable_;  ///< knobs of more than one value
  std::optional<ScoredMembers> scored_;
  ConfigurationSet known_;    ///< the members
  ConfigurationSet parents_;  ///< whose neighbours are in it
  bool picked_ = false;       ///< a candidate from this pool
};

}  // namespace kernelscape
