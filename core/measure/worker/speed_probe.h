#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/measure/worker/kernel_threads.h"
#include "core/measure/worker/page_buffer.h"
#include "core/trial/machine_speed.h"

namespace kernelscape::measure {

/**
 * Times a fixed amount of work of this machine's CPU, about a millisecond for each of two parts:
 * multiply-adds in registers, and reading data that are in no cache. Kernels have the same number of threads
 * on the same processors, so that whatever slows a kernel slows the probe. The work never depends on the
 * machine: times of a machine can be compared as long as probe_version is the same.
 *
 * The data, 8 MiB per thread, belong to the memory of the worker; processes that are forked for kernels do
 * not have them. They are flushed from the caches after each reading: a buffer larger than the last cache
 * would have the same effect, but take up to a gigabyte and a second to fill.
 */
class SpeedProbe {
 public:
  SpeedProbe();

  /**
   * Times both parts. The threads are started for each reading and have ended on return, so that the calling
   * process can be forked.
   * @param threads of the kernel; more threads than processors are not started, since they would only wait
   * @return unknown times if there are not enough threads or memory
   */
  trial::ProbeSeconds measure(int threads);

 private:
  /** What one thread reads. */
  struct Data {
    PageBuffer buffer;
    bool filled = false;
  };
  trial::ProbeSeconds measure_on(KernelThreads& team);
  bool make_data(std::size_t threads);
  void fill_once(int part);

  std::vector<int> processors_;
  std::vector<Data> data_;  ///< one per thread
};

}  // namespace kernelscape::measure
