#pragma once

#include <span>

namespace kernelscape::app {

/**
 * Runs `kernelscape-worker --join ADDRESS ...`: serves as a worker of a fleet until it is asked to leave.
 * Returns the exit code: 0 after a request to leave, 1 refused, 2 wrong usage, 75 a fault of the machine,
 * after which the worker may be restarted.
 */
int join_fleet(std::span<char* const> arguments);

}  // namespace kernelscape::app
