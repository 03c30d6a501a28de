#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/schedule/loop_touches.h"

namespace kernelscape {

/** How many numbers the curves of all tensors are: two per sample of each of four relations. */
constexpr std::size_t curve_number_count(int samples) {
  return touched_tensors * 4 * static_cast<std::size_t>(samples) * 2;
}

/** "a: count to reuse at 0: log2 value", ...: by place. @param tensors their names, in order */
std::vector<std::string> curve_number_names(const std::array<std::string, touched_tensors>& tensors,
                                            int samples);

/** What curve_features() says of the loops; see there. @param numbers at least curve_number_count(samples) */
void write_curve_numbers(const std::vector<TouchedLoop>& loops, int samples, std::span<float> numbers);

}  // namespace kernelscape
