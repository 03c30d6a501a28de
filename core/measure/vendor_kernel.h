#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/measure/vendor_result.h"
#include "core/task/reference.h"
#include "core/task/task.h"

namespace kernelscape {

/** A task in the hands of the vendor's library, its tensors in the layouts of the library's choice. */
class VendorKernel {
 public:
  virtual ~VendorKernel() = default;
  /** Name, implementation and layouts, no samples. */
  virtual VendorResult description() const = 0;
  virtual void run(std::int64_t calls) = 0;
  /** Drops the tensors from all caches. */
  virtual void flush_caches() = 0;
  /** Row-major, after at least one run. */
  virtual std::vector<double> output() = 0;
};

/**
 * oneDNN's primitive for a task: every convolution and multiplication of f32. NotFound with the reason where
 * the library is not part of this build or has nothing for the task.
 */
Result<std::unique_ptr<VendorKernel>> make_vendor_kernel(const Task& task, const ReferenceInputs& inputs);

}  // namespace kernelscape
