#pragma once

#include <time.h>

namespace kernelscape {

/**
 * Returns the CPU seconds that the calling thread has used, without other threads and processes. Only
 * differences are meaningful.
 */
inline double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace kernelscape
