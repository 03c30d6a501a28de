#pragma once

#include "app/command_line/serve_options.h"

namespace kernelscape::app {

/**
 * Serves the pages of `kernelscape serve` until a signal ends it: Ctrl+C, SIGTERM or SIGHUP. Prints the
 * address. Returns the exit code.
 */
Result<int> run_serve(const command_line::ServeOptions& options);

}  // namespace kernelscape::app
