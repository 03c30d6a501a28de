#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/analysis/columns.h"
#include "core/analysis/landscape/value_bins.h"
#include "core/base/random.h"
#include "core/space/search_space.h"

namespace kernelscape::analysis {

/** A knob's column along an axis of a heat map. */
struct CellAxis {
  std::size_t knob = 0;
  std::size_t bins = 0;
  std::vector<std::int32_t> bin_of_index;  ///< by the knob's value; ValueBins::no_bin: it lies between bins
};

/** Returns the axis of a column. @param column of a knob */
CellAxis cell_axis(const space::SearchSpace& space, const TrialColumns& columns, std::size_t column,
                   const ValueBins& bins);

/**
 * Returns the cell of a configuration among y.bins lines of x.bins cells, or nullopt if its values lie
 * between bins.
 */
std::optional<std::size_t> cell_of(const CellAxis& x, const CellAxis& y,
                                   const space::Configuration& configuration);

/**
 * Returns distinct random members of a listed space by cell, in the numbering of `cell_of`, up to `most`
 * each.
 * @param keep_going if it returns false, the function returns early with an undefined result
 */
std::vector<std::vector<space::Configuration>> listed_cell_members(
    const std::vector<space::Configuration>& members, const CellAxis& x, const CellAxis& y, std::size_t most,
    base::Random random, const std::function<bool()>& keep_going);

/**
 * Returns distinct random members by cell for a space that is too large to be listed. The members of a cell
 * are drawn uniformly by rejection. Where that finds only a few, the solver finds some more, which are not
 * uniform. An empty result means that the cell has no members, or that none was found.
 */
std::vector<std::vector<space::Configuration>> drawn_cell_members(const space::SearchSpace& space,
                                                                  const CellAxis& x, const CellAxis& y,
                                                                  std::size_t most, base::Random random,
                                                                  const std::function<bool()>& keep_going);

}  // namespace kernelscape::analysis
