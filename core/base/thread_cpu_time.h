#pragma once

#include <time.h>

namespace kernelscape {

/** CPU seconds that this thread has used: other threads and processes don't count. Only differences mean
 * something. */
inline double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace kernelscape
