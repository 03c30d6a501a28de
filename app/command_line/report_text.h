#pragma once

#include <string>

#include "core/session/session_report.h"

namespace kernelscape {

/** What stands at the end of a session, as text. */
std::string report_text(const SessionReport& report);

/** The categories that occur, by count and by work seconds. */
std::string category_table(const ErrorBreakdown& errors);

}  // namespace kernelscape
