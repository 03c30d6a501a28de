#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape::space {

/**
 * Consecutive knobs whose values must multiply to a constant, such as the levels of an EncodedSpace. Only
 * these rows of their Cartesian product can occur in a member.
 */
struct TiedKnobs {
  std::uint32_t first = 0;                  ///< position of the first knob
  std::uint32_t count = 0;                  ///< number of knobs
  std::vector<std::uint32_t> indices = {};  ///< `count` per row; rows in the order of their indices

  std::size_t rows() const { return indices.size() / count; }  ///< combinations that multiply to the constant
};

/**
 * Returns the groups of consecutive knobs that a PROD of the space ties, in the order of the knobs; no knob
 * is in two groups. Leaves out groups that would take more than a second or some dozen MiB to list, and those
 * with values below 1.
 */
std::vector<TiedKnobs> tied_knobs(const SearchSpace& space);

}  // namespace kernelscape::space
