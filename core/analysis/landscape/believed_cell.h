#pragma once

#include <cstdint>
#include <optional>

namespace kernelscape::analysis {

/**
 * The prediction of a Gaussian process for a cell of a heat map, whether measured or not: means over random
 * members.
 */
struct BelievedCell {
  std::int64_t members = 0;  ///< number of members used; 0: no member was found, and there is no prediction
  double performance = 0;    ///< GFLOP/s, or milliseconds if no FLOPs are known
  double deviation = 0;      ///< standard deviation of a measurement of a member, same unit
  std::optional<double> feasibility = {};  ///< probability of a valid trial; nullopt: no trial failed

  bool operator==(const BelievedCell&) const = default;
};

}  // namespace kernelscape::analysis
