#pragma once

#include "core/base/media/terminal.h"
#include "core/session/report.h"

namespace kernelscape::command_line {

/** Returns the report at the end of a session as text. */
base::TerminalText report_text(const session::Report& report);

/** Returns a table of the error categories that occur, by count and by build and run time. */
base::TerminalText category_table(const analysis::ErrorBreakdown& errors);

}  // namespace kernelscape::command_line
