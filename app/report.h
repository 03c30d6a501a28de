#pragma once

#include "app/command_line/report_options.h"

namespace kernelscape {

/** Writes the report that `kernelscape report` asks for, and prints where; the exit code. */
Result<int> run_report(const ReportOptions& options);

}  // namespace kernelscape
