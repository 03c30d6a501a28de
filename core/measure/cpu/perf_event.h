#pragma once

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {

/**
 * Opens an event of the calling thread, on whichever processor it runs.
 * @param error is set to the errno of a refusal; 0: the event was opened
 */
inline UniqueFd open_perf_event(perf_event_attr attributes, int& error) {
  constexpr int this_thread = 0;
  constexpr int any_processor = -1;
  constexpr int no_group = -1;
  const long opened =
      syscall(SYS_perf_event_open, &attributes, this_thread, any_processor, no_group, PERF_FLAG_FD_CLOEXEC);
  error = opened < 0 ? errno : 0;
  return opened < 0 ? UniqueFd() : UniqueFd(static_cast<int>(opened));
}

}  // namespace kernelscape::measure
