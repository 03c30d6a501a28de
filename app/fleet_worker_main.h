#pragma once

#include <span>

namespace kernelscape {

/** `kernelscape-worker --join ADDRESS ...`: a worker of a fleet until it is asked to leave. Returns the exit
 * code: 0 it was asked to, 1 refused, 2 wrong usage, 75 the machine's fault: it may be started again. */
int join_fleet(std::span<char* const> arguments);

}  // namespace kernelscape
