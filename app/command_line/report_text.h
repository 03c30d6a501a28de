#pragma once

#include "core/base/media/terminal.h"
#include "core/session/session_report.h"

namespace kernelscape {

/** Returns the report at the end of a session as text. */
TerminalText report_text(const SessionReport& report);

/** Returns a table of the error categories that occur, by count and by build and run time. */
TerminalText category_table(const ErrorBreakdown& errors);

}  // namespace kernelscape
