#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/session/preparation.h"

namespace kernelscape::study {

/** The first trials of a layer that other layers may use. */
struct KnownLayer {
  store::SessionId session = 0;
  std::int64_t trials = 0;  ///< only trials with a lower number are used
};

/**
 * Returns at most `count` configurations that a layer's session measures first, so that it has a valid kernel
 * soon: the best trial of its history; the best configuration of the layer of the same template whose shape
 * is the nearest, adapted to this layer's space, if the result is a member within the target's limits; then
 * members from the middle of the space. The result depends only on the arguments and on what is stored of
 * `known`.
 */
Result<std::vector<space::Configuration>> layer_starts(const store::Store& store,
                                                       const session::PreparedTuning& tuning,
                                                       std::span<const KnownLayer> known, std::size_t count);

/**
 * Returns the configuration of `to` whose values are nearest to those of `configuration`, which is of `from`:
 * equal texts and orders, the nearest numbers, inner factors before the outer one. It may violate constraints
 * of `to`. Returns nullopt if the spaces have different knobs, or if `to` lacks a text.
 */
std::optional<space::Configuration> adapted_configuration(const space::SearchSpace& from,
                                                          const space::Configuration& configuration,
                                                          const space::SearchSpace& to);

}  // namespace kernelscape::study
