#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/grid.h"
#include "core/space/search_space.h"

namespace kernelscape::space {

/**
 * A space's configurations as points of a grid. A factorization is one column per factor, a permutation the
 * position of each item, any other knob one column; columns with a single level are left out. Levels ascend
 * by value; their positions follow log2(value) if all values are positive numbers, else their order; texts
 * have no order.
 */
class GridCoordinates {
 public:
  /** @param members only levels that occur in them are used; null: all levels of the knobs */
  GridCoordinates(SearchSpace space, const std::vector<Configuration>* members);

  /** Returns the columns in the order of the knobs and their elements, without those of a single level. */
  const std::vector<base::GridColumn>& columns() const { return columns_; }
  /** Returns the column names as in tables: "tile_oc[3]", "unroll". */
  const std::vector<std::string>& names() const { return names_; }

  /** What a column stands for: an element of a knob. */
  struct Origin {
    std::size_t knob = 0;
    int element = 0;                     ///< factor or item; 0 for ordinals and categoricals
    std::vector<std::uint32_t> indices;  ///< a value of the knob for each level
  };
  /** Returns the origins of the columns. */
  const std::vector<Origin>& origins() const { return origins_; }

  /** Returns the point of a configuration, whose values must be among the levels. */
  base::GridPoint of(const Configuration& configuration) const;

 private:
  struct Source {
    std::size_t knob = 0;
    std::vector<std::uint32_t> levels;  ///< by the knob's index
  };

  void add_column(std::size_t knob, int element, const std::vector<std::uint32_t>& indices);

  SearchSpace space_;
  std::vector<base::GridColumn> columns_;
  std::vector<std::string> names_;
  std::vector<Source> sources_;
  std::vector<Origin> origins_;
};

/** Returns the sum over the columns of the distances between two points. */
double grid_distance(const std::vector<base::GridColumn>& columns, const base::GridPoint& a,
                     const base::GridPoint& b);

}  // namespace kernelscape::space
