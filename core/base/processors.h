#pragma once

#include <vector>

namespace kernelscape::base {

/** Returns the logical processors that this process may use: first one of each core, then their siblings. */
std::vector<int> usable_processors();

/** Returns the number of cores among the usable processors; hardware threads of one core count once. */
int usable_cores();

}  // namespace kernelscape::base
