#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/schedule/loop_touches.h"

namespace kernelscape::schedule {

/** Returns the number of values of the curves of all tensors: two per sample for each of four relations. */
constexpr std::size_t curve_number_count(int samples) {
  return touched_tensors * 4 * static_cast<std::size_t>(samples) * 2;
}

/**
 * Returns the names of the values, in order: "a: count to reuse at 0: log2 value", ... @param tensors their
 * names, in order
 */
std::vector<std::string> curve_number_names(const std::array<std::string, touched_tensors>& tensors,
                                            int samples);

/** Writes the curve_features() of the loops. @param numbers at least curve_number_count(samples) */
void write_curve_numbers(const std::vector<TouchedLoop>& loops, int samples, std::span<float> numbers);

}  // namespace kernelscape::schedule
