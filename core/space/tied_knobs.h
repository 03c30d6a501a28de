#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape {

/**
 * Knobs that follow each other and whose values have to multiply to a constant, as the levels of an
 * EncodedSpace: of their product, only these rows can be a member's.
 */
struct TiedKnobs {
  std::uint32_t first = 0;                  ///< the first of them
  std::uint32_t count = 0;                  ///< how many they are
  std::vector<std::uint32_t> indices = {};  ///< `count` for each row; rows in the order of their indices

  std::size_t rows() const { return indices.size() / count; }  ///< combinations that multiply to the constant
};

/**
 * The space's PRODs that tie whole knobs in a row, in the order of the knobs, no knob in two of them. What
 * would take over a second or some dozen MiB to list is not among them, nor are values below 1.
 */
std::vector<TiedKnobs> tied_knobs(const SearchSpace& space);

}  // namespace kernelscape
