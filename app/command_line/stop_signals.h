#pragma once

#include "core/session/stop_request.h"

namespace kernelscape {

/** From now on Ctrl+C and SIGTERM ask to stop: gracefully, and the second time at once. */
const StopRequest& stop_on_signals();

}  // namespace kernelscape
