#pragma once

#include "app/command_line/report_options.h"

namespace kernelscape::app {

/** Writes the report of `kernelscape report`, and prints its path. Returns the exit code. */
Result<int> run_report(const command_line::ReportOptions& options);

}  // namespace kernelscape::app
