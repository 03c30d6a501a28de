#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/space/knob.h"

namespace kernelscape::project {

/**
 * Returns the values of a parameter as T1 writes them, an expression without names: "[16, 32, 64]", "(1, 2)",
 * "range(1, 9)", "[1] + [2 * i for i in range(1, 11) if i != 3]". Errors describe the unexpected text. At
 * most a million values.
 */
Result<std::vector<space::KnobValue>> read_value_list(std::string_view text);

/**
 * Converts a value to a parameter's type: "int" an integer, "uint" a non-negative integer, "float" a finite
 * number, "bool" a truth value or 0 and 1, "string" a text. Errors say why the value does not fit.
 */
Result<space::KnobValue> value_of_type(const space::KnobValue& value, std::string_view type);

}  // namespace kernelscape::project
