#pragma once

#include <cstdint>
#include <vector>

namespace kernelscape::base {

/** One coordinate of a grid: what models see of a search space. */
struct GridColumn {
  std::vector<double> positions;  ///< positions of its levels, in [0, 1]
  bool ordered = true;            ///< false: any two different levels are 1 apart

  bool operator==(const GridColumn&) const = default;
};

/** A level for every column. */
using GridPoint = std::vector<std::uint32_t>;

}  // namespace kernelscape::base
