#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

/**
 * Returns how many of the named unit of time are one second: 1e3 of "ms". Known are s, ms, us, ns and min in
 * the spellings that tuners write, such as "sec", "msec", "µs" and "Microseconds". Words are read in any
 * case; symbols of one letter and a prefix only in lower case, since "Ms" is a megasecond. An unknown unit is
 * InvalidArgument, with the known ones as a hint.
 */
Result<double> units_per_second(std::string_view unit);

/** Returns true if the name is that of a unit of time. */
bool is_time_unit(std::string_view unit);

/**
 * Refuses an objective that differs from its samples by a power of ten: one of them has another unit than it
 * says. Objectives are means, medians or minima of the samples, and may leave some out.
 * @param samples_seconds may be empty
 */
Status check_objective(double objective_seconds, std::span<const double> samples_seconds);

}  // namespace kernelscape
