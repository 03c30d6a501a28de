#pragma once

#include <string>
#include <vector>

namespace kernelscape::measure {

/**
 * Returns a sentence for each variable of this process's environment that changes how a kernel's OpenMP runs,
 * such as OMP_NUM_THREADS: kernels inherit them, except those that bind threads to processors.
 */
std::vector<std::string> openmp_notices();

/**
 * Takes these variables out of this process's environment, and returns a sentence for each: a fleet compares
 * the times of several machines, whose kernels are to run alike. For a program's beginning, before there are
 * threads.
 */
std::vector<std::string> drop_openmp_variables();

/**
 * Returns the variables that a run worker is started with: the threads that a kernel's OpenMP starts unless
 * the user or the kernel sets another number, and none of them bound to a processor. A confined kernel may
 * not move a thread other than the calling one, and OpenMP's library ends the process when it can't. The
 * worker itself may load this library, so nothing can be set later.
 */
std::vector<std::string> openmp_environment(int threads);

}  // namespace kernelscape::measure
