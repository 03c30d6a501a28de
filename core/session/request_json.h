#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/session/preparation.h"

namespace kernelscape {

/**
 * What a user asks for as JSON with sorted keys, so that a form can be filled with it again. A warm start is
 * left out: its number means a session of one database. So is trust: it is said to a content that was seen.
 */
std::string request_to_json(const TuningRequest& request);

/** Reads what request_to_json() wrote; nothing is looked up. InvalidArgument names the member. */
Result<TuningRequest> request_from_json(std::string_view json);

}  // namespace kernelscape
