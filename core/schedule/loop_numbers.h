#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/schedule/loop_touches.h"

namespace kernelscape::schedule {

/** Number of values per loop in itervar_features(). */
inline constexpr std::size_t numbers_per_loop = 4 + annotation_count + 3 + touched_tensors * 6;

/**
 * Returns the names of the values, in order: "log2 length", ..., "log2 thread reuse of output".
 * @param tensors their names, in order
 */
std::vector<std::string> loop_number_names(const std::array<std::string, touched_tensors>& tensors);

/** Writes all values of a loop. @param nest_level from 1 */
void write_loop_numbers(const TouchedLoop& loop, std::size_t nest_level, bool innermost,
                        std::span<float, numbers_per_loop> numbers);

/** Returns sign(value) * log2(1 + |value|). */
float signed_logarithm(std::int64_t value);

}  // namespace kernelscape::schedule
