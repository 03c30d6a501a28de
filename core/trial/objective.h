#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/trial/measurement.h"

namespace kernelscape {

/** Which number of a trial's samples its objective is: the time by which the trial is ranked. */
enum class ObjectiveKind : std::uint8_t {
  Median,
  Mean,
  Minimum,
  Recorded  ///< none of these, as in the imported file, or the trial has no samples
};
template <>
inline constexpr std::size_t enumerator_count<ObjectiveKind> = 4;

/** "median", "mean", "minimum", "as recorded". */
std::string_view to_string(ObjectiveKind kind);

/**
 * Returns which number of the samples the objective is, up to the rounding of files (10^-6 of it). Median
 * implies that the objective lies between the quartiles of the samples: only then are they its own interval.
 * @param objective_seconds Measurement::ranking_seconds()
 */
ObjectiveKind objective_kind(double objective_seconds, std::span<const double> samples_seconds);

}  // namespace kernelscape
