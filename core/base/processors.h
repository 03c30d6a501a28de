#pragma once

#include <vector>

namespace kernelscape {

/** The processors that this process may use: one of each core first, then their siblings. */
std::vector<int> usable_processors();

/** Cores among the usable processors: hardware threads of one core count once. */
int usable_cores();

}  // namespace kernelscape
