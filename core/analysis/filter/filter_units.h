#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/columns.h"

namespace kernelscape {

/** The units that a number of this column can be written in; empty where it has none. */
std::vector<std::string> accepted_units(const Column& column);

/** A number in the column's own unit; none where the unit is not one of the column's. */
std::optional<double> convert_to_column(double number, std::string_view unit, const Column& column);

/** What values of `from` are multiplied with to be in the unit of `to`; none where they measure different
 * things. */
std::optional<double> column_factor(const Column& from, const Column& to);

}  // namespace kernelscape
