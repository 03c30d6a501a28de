#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/space/grid_coordinates.h"
#include "core/surrogate/grid_posterior.h"
#include "core/surrogate/space_model.h"
#include "core/tuner/visited.h"

namespace kernelscape::tuner {

/**
 * Members that are scored together: a whole space, or a pool drawn from it. Caches the model's posterior of
 * all members, so that scoring again costs one pass per new trial, and nothing if the model has not changed.
 * To be used with one model only.
 */
class ScoredMembers {
 public:
  ScoredMembers(std::vector<space::Configuration> members, const space::GridCoordinates& coordinates);

  /** Adds members after the existing ones. @param coordinates those of the first members */
  void add(std::vector<space::Configuration> members, const space::GridCoordinates& coordinates);

  /** Returns the member with a number that `best` returned. */
  const space::Configuration& member(std::size_t number) const { return members_[number]; }
  /** Returns the members in the order in which they were added, including visited members. */
  const std::vector<space::Configuration>& members() const { return members_; }

  /**
   * Returns the number of the unvisited member with the largest expected improvement on the incumbent times
   * the probability of being valid; nullopt if all were visited.
   * @param ties draws one of several equal members; null: the first is taken
   */
  std::optional<std::size_t> best(const surrogate::SpaceModel& model, const Visited& visited,
                                  base::Random* ties = nullptr);

  /** Returns the unvisited members with the largest scores, best first, equal ones in their order. */
  std::vector<space::Configuration> best_members(const surrogate::SpaceModel& model, const Visited& visited,
                                                 std::size_t most);

 private:
  /** Members that were added together, with the model's posterior of them. */
  struct Part {
    std::size_t first = 0;  ///< number of its first member
    surrogate::GridPosterior performance;
    std::optional<surrogate::GridPosterior> feasibility = {};
    std::optional<std::uint64_t> scored = {};   ///< the model's revision at which the scores were computed
    std::vector<Eigen::VectorXf> sources = {};  ///< the predictions of each of the model's sources
  };

  void score(const surrogate::SpaceModel& model);
  void score_part(const surrogate::SpaceModel& model, Part& part);
  static Eigen::VectorXf source_values(const surrogate::SpaceModel& model, Part& part);
  std::vector<std::size_t> greatest_unvisited(const Visited& visited);

  std::vector<space::Configuration> members_;
  std::vector<bool> visited_;   ///< true for each member known to be visited
  std::vector<double> scores_;  ///< one per member
  std::vector<Part> parts_;
};

}  // namespace kernelscape::tuner
