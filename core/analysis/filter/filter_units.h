#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/columns.h"

namespace kernelscape::analysis {

/** Returns the units in which a number of this column can be written; empty if it has no unit. */
std::vector<std::string> accepted_units(const Column& column);

/** Converts a number to the column's own unit. Returns nullopt if `unit` is not a unit of the column. */
std::optional<double> convert_to_column(double number, std::string_view unit, const Column& column);

/**
 * Returns the factor that converts values of `from` to the unit of `to`, or nullopt if they measure different
 * quantities.
 */
std::optional<double> column_factor(const Column& from, const Column& to);

}  // namespace kernelscape::analysis
