#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape::analysis {

/** A member one move away (OpEvo, section 3 and figure 1). */
struct NeighbourMove {
  space::Configuration configuration;
  std::size_t knob = 0;
  std::string text;                 ///< "prime 2 from tile_oc[0] to tile_oc[3]", "next value", ...
  std::optional<std::int64_t> row;  ///< its trial, if it was measured
};

/** Returns the row of a configuration's trial, or nullopt if it was not measured. */
using FindRow = std::function<std::optional<std::int64_t>(const space::Configuration&)>;

/**
 * Returns all members that differ from a configuration by one move of one knob, by knob and then by value.
 * Leaves out values that are not members.
 */
std::vector<NeighbourMove> neighbour_moves(const space::SearchSpace& space,
                                           const space::Configuration& configuration,
                                           const FindRow& find_row);

/**
 * Returns the text of the move from one value of a knob to a neighbouring one, as in `NeighbourMove::text`.
 */
std::string move_text(const space::Knob& knob, std::uint32_t from, std::uint32_t to);

}  // namespace kernelscape::analysis
