#pragma once

#include <functional>

#include "core/measure/worker/output_check.h"

namespace kernelscape {

/**
 * A CPU's kernel in the process of its trial: what it is called with, and how its outputs are checked. Made
 * before the process is forked, and used in it alone.
 */
class TrialKernel {
 public:
  virtual ~TrialKernel() = default;

  /** Buffers that the kernel writes to, in the trial's process; false: no memory. @param entry as loaded */
  virtual bool make_ready(void* entry, int parts) = 0;
  /** Fills what it writes, so that what it leaves unwritten shows: before the checked run. */
  virtual void clear_outputs() = 0;
  /** Its share of a call on thread `part`. */
  virtual const std::function<void(int part)>& work() const = 0;
  /** Restores what a call changes and needs again; empty where calls can follow each other. */
  virtual std::function<void()> restore() = 0;
  /** Of the outputs of the latest call. */
  virtual OutputCheck check() = 0;
  /** Takes what it reads and writes out of the caches. */
  virtual void flush_caches() = 0;
  /** Keeps the outputs of the latest call where the process that forked this one finds them. */
  virtual void keep_outputs() {}
};

}  // namespace kernelscape
