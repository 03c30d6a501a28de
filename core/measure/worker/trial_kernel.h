#pragma once

#include <functional>

#include "core/measure/worker/output_check.h"

namespace kernelscape::measure {

/**
 * A CPU kernel in the process of its trial: its arguments, and the check of its outputs. It is made before
 * the process is forked, and used only in that process.
 */
class TrialKernel {
 public:
  virtual ~TrialKernel() = default;

  /**
   * Allocates the buffers that the kernel writes to, in the trial's process; returns false if there is not
   * enough memory.
   * @param entry the loaded entry function
   */
  virtual bool make_ready(void* entry, int parts) = 0;
  /** Fills the outputs before the checked run, so that unwritten elements can be detected. */
  virtual void clear_outputs() = 0;
  /** Returns the function that does the work of thread `part` in a call. */
  virtual const std::function<void(int part)>& work() const = 0;
  /**
   * Returns a function that restores data that a call changes and the next call needs; empty if calls can
   * follow each other.
   */
  virtual std::function<void()> restore() = 0;
  /** Checks the outputs of the latest call. */
  virtual OutputCheck check() = 0;
  /** Flushes the data that the kernel reads and writes from the caches. */
  virtual void flush_caches() = 0;
  /** Stores the outputs of the latest call in memory that the parent process can read. */
  virtual void keep_outputs() {}
};

}  // namespace kernelscape::measure
