#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/space/grid_coordinates.h"
#include "core/tuner/visited.h"

namespace kernelscape::tuner {

/** The rule that selects the random member that becomes the next start point. */
enum class StartRule : std::uint8_t {
  Representative,  ///< minimizes the total distance of the random members to their nearest start point
  Farthest         ///< maximizes the distance to the nearest start point; the first is random
};

/**
 * Chooses the first trials, before anything is known. In spaces of factorizations, the members farthest from
 * all others are the corners, where one factor is the whole product: mostly slow kernels. Distances are sums
 * over columns.
 */
class StartDesign {
 public:
  /** @param candidates random members that each start point is chosen from */
  StartDesign(space::SearchSpace space, StartRule rule, std::int64_t candidates, base::Random random);

  /** Returns the next start point and marks it as visited; nullopt if no member is left. */
  std::optional<space::Configuration> next(const space::GridCoordinates& coordinates, Visited& visited);

  /** Adds a start point that was chosen elsewhere. */
  void add(const base::GridPoint& point) { taken_.push_back(point); }

 private:
  struct Candidate {
    space::Configuration member;
    base::GridPoint point;
    double nearest = 0;  ///< distance to the nearest start point
  };

  std::vector<Candidate> draw(const space::GridCoordinates& coordinates, const Visited& visited);

  space::SearchSpace space_;
  StartRule rule_;
  std::int64_t candidates_;
  base::Random random_;
  std::vector<base::GridPoint> taken_;
};

}  // namespace kernelscape::tuner
