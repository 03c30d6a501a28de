#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/space/knob.h"

namespace kernelscape {

/**
 * Returns the values of a parameter as T1 writes them, an expression without names: "[16, 32, 64]", "(1, 2)",
 * "range(1, 9)", "[1] + [2 * i for i in range(1, 11) if i != 3]". Errors say what stands there instead. At
 * most a million values.
 */
Result<std::vector<KnobValue>> read_value_list(std::string_view text);

/**
 * A value as one of a parameter's type: "int" whole, "uint" whole and not negative, "float" finite, "bool" a
 * truth value or 0 and 1, "string" a text. Errors say why it is none.
 */
Result<KnobValue> value_of_type(const KnobValue& value, std::string_view type);

}  // namespace kernelscape
