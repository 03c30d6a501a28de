#pragma once

#include <span>
#include <vector>

#include "core/space/configuration.h"

namespace kernelscape::tuner {

/**
 * Picks diverse candidates with AutoTVM's submodular pick without weight on the scores (its diversity
 * filter): greedily the candidate that adds the most knob values that no picked candidate has; among equals
 * the first.
 *
 * @return positions of at most `count` candidates in the order in which they were picked
 */
std::vector<std::size_t> submodular_pick(std::span<const space::Configuration> candidates, std::size_t count);

}  // namespace kernelscape::tuner
