#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/space/grid_coordinates.h"
#include "core/tuner/visited.h"

namespace kernelscape {

/** Which random member becomes the next start point. */
enum class StartRule : std::uint8_t {
  Representative,  ///< that which leaves the random members nearest to a start point on the whole
  Farthest         ///< that whose nearest start point is farthest; the first at random
};

/**
 * Chooses the first trials, before anything is known. In spaces of factorizations, what is farthest from
 * everything are the corners, where one factor takes all: bad kernels, mostly. Distances are sums over
 * columns.
 */
class StartDesign {
 public:
  /** @param candidates random members that each start point is chosen from */
  StartDesign(SearchSpace space, StartRule rule, std::int64_t candidates, Random random);

  /** The next one, visited from now on; none where no member is left. */
  std::optional<Configuration> next(const GridCoordinates& coordinates, Visited& visited);

  /** A start point that was chosen elsewhere. */
  void add(const GridPoint& point) { taken_.push_back(point); }

 private:
  struct Candidate {
    Configuration member;
    GridPoint point;
    double nearest = 0;  ///< distance to the nearest start point
  };

  std::vector<Candidate> draw(const GridCoordinates& coordinates, const Visited& visited);

  SearchSpace space_;
  StartRule rule_;
  std::int64_t candidates_;
  Random random_;
  std::vector<GridPoint> taken_;
};

}  // namespace kernelscape
