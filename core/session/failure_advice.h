#pragma once

#include <string>

#include "core/session/report.h"

namespace kernelscape::session {

/**
 * Returns advice, in sentences, for a session without a valid trial: for a user's own kernel what to correct
 * and where, for a template or a recorded space what else to try.
 */
std::string failure_advice(const Report& report);

}  // namespace kernelscape::session
