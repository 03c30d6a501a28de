#pragma once

#include <time.h>

namespace kernelscape::base {

/** CPU seconds by one of the system's clocks of processor time. */
inline double cpu_seconds_by(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/** CPU seconds that this thread has used: other threads and processes don't count. Only differences mean
 * something. */
inline double thread_cpu_seconds() { return cpu_seconds_by(CLOCK_THREAD_CPUTIME_ID); }

/** CPU seconds that all threads of this process have used. Only differences mean something. */
inline double process_cpu_seconds() { return cpu_seconds_by(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace kernelscape::base
