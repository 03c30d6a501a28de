#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/analysis/columns.h"
#include "core/analysis/landscape/value_bins.h"
#include "core/base/random.h"
#include "core/space/search_space.h"

namespace kernelscape {

/** A knob's column along a side of a heat map. */
struct CellAxis {
  std::size_t knob = 0;
  std::size_t bins = 0;
  std::vector<std::int32_t> bin_of_index;  ///< by the knob's value; ValueBins::no_bin: it lies between bins
};

/** @param column of a knob */
CellAxis cell_axis(const SearchSpace& space, const TrialColumns& columns, std::size_t column,
                   const ValueBins& bins);

/** Where a configuration falls among y.bins lines of x.bins cells; none: its values lie between bins. */
std::optional<std::size_t> cell_of(const CellAxis& x, const CellAxis& y, const Configuration& configuration);

/**
 * Different random members of a listed space by cell, as `cell_of` counts them, up to `most` each.
 * @param go_on false: the result means nothing
 */
std::vector<std::vector<Configuration>> listed_cell_members(const std::vector<Configuration>& members,
                                                            const CellAxis& x, const CellAxis& y,
                                                            std::size_t most, Random random,
                                                            const std::function<bool()>& go_on);

/**
 * The same of a space that is too large to be listed. A cell's members are drawn uniformly, by rejection;
 * where that finds only a few, the solver looks for some, which are not uniform. An empty cell has none, or
 * none was found.
 */
std::vector<std::vector<Configuration>> drawn_cell_members(const SearchSpace& space, const CellAxis& x,
                                                           const CellAxis& y, std::size_t most, Random random,
                                                           const std::function<bool()>& go_on);

}  // namespace kernelscape
