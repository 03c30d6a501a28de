#pragma once

#include "core/base/media/terminal.h"
#include "core/session/session_report.h"

namespace kernelscape {

/** What stands at the end of a session, as text. */
TerminalText report_text(const SessionReport& report);

/** The categories that occur, by count and by work seconds. */
TerminalText category_table(const ErrorBreakdown& errors);

}  // namespace kernelscape
