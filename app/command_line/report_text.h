#pragma once

#include <string>

#include "core/session/session_report.h"

namespace kernelscape {

/** What stands at the end of a session, as text. */
std::string report_text(const SessionReport& report);

}  // namespace kernelscape
