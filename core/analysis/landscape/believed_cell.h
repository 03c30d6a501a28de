#pragma once

#include <cstdint>
#include <optional>

namespace kernelscape {

/** What a Gaussian process believes of a cell of a heat map, measured or not: means over random members. */
struct BelievedCell {
  std::int64_t members = 0;  ///< taken of those in the cell; 0: no member was found, and nothing is believed
  double performance = 0;    ///< GFLOP/s, or milliseconds where no FLOPs are known
  double deviation = 0;      ///< standard deviation of a measurement of a member, same unit
  std::optional<double> feasibility = {};  ///< probability of a valid trial; none: no trial failed

  bool operator==(const BelievedCell&) const = default;
};

}  // namespace kernelscape
