#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::exchange {

/**
 * Returns how many of the named unit of time are one second: 1e3 for "ms". The units s, ms, us, ns and min
 * are known in the spellings that tuners write, such as "sec", "msec", "µs" and "Microseconds". Words are
 * read in any case; symbols of one letter and a prefix only in lower case, because "Ms" is a megasecond. An
 * unknown unit is InvalidArgument, with the known units as a hint.
 */
Result<double> units_per_second(std::string_view unit);

/** Returns true if the name is that of a unit of time. */
bool is_time_unit(std::string_view unit);

/**
 * Returns an error if an objective differs from its samples by a power of ten: one of them has another unit
 * than stated. Objectives are means, medians or minima of the samples, and may exclude some. @param
 * samples_seconds may be empty
 */
Status check_objective(double objective_seconds, std::span<const double> samples_seconds);

}  // namespace kernelscape::exchange
