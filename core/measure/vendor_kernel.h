#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/task/reference.h"
#include "core/task/task.h"
#include "core/trial/vendor_result.h"

namespace kernelscape {

/**
 * A task in the hands of the vendor's library, its tensors in layouts of the library's choice. What fails in
 * use of it is thrown, as the libraries' own bindings do: the worker's role says it.
 */
class VendorKernel {
 public:
  virtual ~VendorKernel() = default;
  /** Name, implementation and layouts, no samples. */
  virtual VendorResult description() const = 0;
  /** Calls the library, one call after the other, and waits. @return seconds: of a GPU by its own events */
  virtual double run(std::int64_t calls) = 0;
  /** Drops the tensors from all caches. */
  virtual void flush_caches() = 0;
  /** Row-major, after at least one run. */
  virtual std::vector<double> output() = 0;
  /** What its output is stored as: cuDNN gives f16 of f16, where our kernels give f32. */
  virtual ScalarType output_type() const = 0;
};

/**
 * The library of the vendor of a device ("cpu", "cuda:0"): oneDNN for CPUs, cuBLAS for multiplications and
 * cuDNN for convolutions on CUDA devices. The error says why there is none: the library or the device is
 * missing, the library has nothing for the task or fails on it, the platform has no such library.
 */
Result<std::unique_ptr<VendorKernel>> make_vendor_kernel(const Task& task, const ReferenceInputs& inputs,
                                                         const std::string& device);

/** Every convolution and multiplication of f32, and of i8 (u8 x s8 into s32, as the library rounds nowhere).
 * None where the library has only its plain reference code for a task: a ratio to that would say nothing. */
Result<std::unique_ptr<VendorKernel>> make_onednn_kernel(const Task& task, const ReferenceInputs& inputs);

/** Multiplications of f32 (no TF32) and of f16 into f32 (tensor cores), on the CUDA device of this number. */
Result<std::unique_ptr<VendorKernel>> make_cublas_kernel(const Task& task, const ReferenceInputs& inputs,
                                                         int device);

/** Convolutions of the same types; of all algorithms the one that is measured to be fastest. */
Result<std::unique_ptr<VendorKernel>> make_cudnn_kernel(const Task& task, const ReferenceInputs& inputs,
                                                        int device);

}  // namespace kernelscape
