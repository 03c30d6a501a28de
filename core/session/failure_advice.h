#pragma once

#include <string>

#include "core/session/session_report.h"

namespace kernelscape {

/**
 * What the user of a session without a valid trial can do, in sentences: of a user's own kernel what to
 * correct and where, of a template and of a recorded space what else to try.
 */
std::string failure_advice(const SessionReport& report);

}  // namespace kernelscape
