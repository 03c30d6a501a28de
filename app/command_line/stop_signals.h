#pragma once

#include "core/session/stop_request.h"

namespace kernelscape::command_line {

/**
 * Installs signal handlers that request a stop: Ctrl+C and SIGTERM request a graceful stop, the second time
 * an immediate one, and the third time they end the program. A closed terminal (SIGHUP, except under nohup)
 * and a limit on processor time (SIGXCPU) request a graceful stop.
 */
const session::StopRequest& stop_on_signals();

}  // namespace kernelscape::command_line
