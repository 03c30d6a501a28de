#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/session/preparation.h"

namespace kernelscape::session {

/**
 * Returns a request as JSON with sorted keys, so that a form can be filled with it again. The warm start is
 * left out, since its number refers to a session of one database; trust is left out, since it applies only to
 * content that the user has seen.
 */
std::string request_to_json(const TuningRequest& request);

/**
 * Reads the JSON that request_to_json() wrote, without looking anything up. Error: InvalidArgument, which
 * names the JSON member.
 */
Result<TuningRequest> request_from_json(std::string_view json);

}  // namespace kernelscape::session
