#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

/**
 * The text as JSON. Errors, before any value is made of it: InvalidArgument where it is none, has a key
 * twice, is nested deeper than any study or has more values than anyone reads.
 */
Result<nlohmann::json> parse_study_text(std::string_view text);

}  // namespace kernelscape
