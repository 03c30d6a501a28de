#pragma once

#include "core/session/stop_request.h"

namespace kernelscape {

/**
 * From now on Ctrl+C and SIGTERM ask to stop: gracefully, the second time at once; the third ends the program
 * itself. A terminal that was closed (SIGHUP, but under nohup) and a limit on processor time (SIGXCPU) ask
 * gracefully.
 */
const StopRequest& stop_on_signals();

}  // namespace kernelscape
