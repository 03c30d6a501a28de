#pragma once

#include <sys/types.h>

#include <vector>

namespace kernelscape::base {

/** Returns the ids of this process's threads in the order of the system; empty where it does not list them.
 */
std::vector<pid_t> process_threads();

}  // namespace kernelscape::base
