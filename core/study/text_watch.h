#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::study {

/**
 * Parses the text as JSON. Before creating any value, returns InvalidArgument if the text is not JSON, has a
 * key twice, is nested deeper than any study, or has more values than a study may have.
 */
Result<nlohmann::json> parse_study_text(std::string_view text);

}  // namespace kernelscape::study
