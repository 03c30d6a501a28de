#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/trial/measurement.h"

namespace kernelscape::trial {

/** The statistic of a trial's samples that is its objective: the time by which the trial is ranked. */
enum class ObjectiveKind : std::uint8_t {
  Median,
  Mean,
  Minimum,
  Recorded  ///< none of these: the value in the imported file, or the trial has no samples
};
template <>
inline constexpr std::size_t enumerator_count<ObjectiveKind> = 4;

/** Returns "median", "mean", "minimum" or "as recorded". */
std::string_view to_string(ObjectiveKind kind);

/**
 * Returns the statistic of the samples that the objective is, up to the rounding of files (10^-6 of it).
 * Median implies that the objective lies between the quartiles of the samples: only then are the quartiles
 * its interval.
 * @param objective_seconds Measurement::ranking_seconds()
 */
ObjectiveKind objective_kind(double objective_seconds, std::span<const double> samples_seconds);

}  // namespace kernelscape::trial
