#pragma once

#include <span>
#include <vector>

#include "core/space/configuration.h"

namespace kernelscape {

/**
 * AutoTVM's submodular pick without weight on the scores (its diversity filter): greedily the candidate that
 * brings the most knob values that no picked one has, the first of equals.
 *
 * @return positions of at most `count` candidates in the order in which they were picked
 */
std::vector<std::size_t> submodular_pick(std::span<const Configuration> candidates, std::size_t count);

}  // namespace kernelscape
