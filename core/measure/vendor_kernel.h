#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/vendor_library.h"
#include "core/task/reference.h"
#include "core/task/task.h"
#include "core/trial/vendor_result.h"

namespace kernelscape::measure {

/**
 * A task in the vendor's library, with its tensors in layouts that the library chooses. Failures in use are
 * thrown, as in the libraries' own bindings; the worker's role reports them.
 */
class VendorKernel {
 public:
  virtual ~VendorKernel() = default;
  /** Returns name, implementation and layouts, without samples. */
  virtual trial::VendorResult description() const = 0;
  /**
   * Calls the library `calls` times in sequence and waits.
   * @return seconds; for a GPU measured by device events
   */
  virtual double run(std::int64_t calls) = 0;
  /** Drops the tensors from all caches. */
  virtual void flush_caches() = 0;
  /** Returns the output in row-major order; requires at least one run. */
  virtual std::vector<double> output() = 0;
  /**
   * Returns the type in which the output is stored: cuDNN gives f16 for f16 inputs, where Kernelscape's
   * kernels give f32.
   */
  virtual task::ScalarType output_type() const = 0;
};

/** The library and the machine of a vendor kernel. */
struct VendorChoice {
  std::string device = "cpu";  ///< "cpu", "cuda:0"
  VendorLibrary library = VendorLibrary::OfDevice;
  int threads = 1;  ///< of OpenBLAS, BLIS and libxsmm; those of oneDNN are set in the process's environment
};

/** Opens OpenBLAS, BLIS or libxsmm. Returns the error of make_vendor_kernel() if it is missing or unusable.
 */
Status find_vendor_library(const VendorChoice& choice);

/**
 * Makes the kernel of a vendor library. That of the device is oneDNN for CPUs, cuBLAS for multiplications and
 * cuDNN for convolutions on CUDA devices. The error gives the reason if there is none: the library or the
 * device is missing, the library does not support the task or fails on it, or the platform has no such
 * library. NotFound: the library is not installed or not made for the task.
 */
Result<std::unique_ptr<VendorKernel>> make_vendor_kernel(const task::Task& task,
                                                         const task::ReferenceInputs& inputs,
                                                         const VendorChoice& choice);

/**
 * Makes a oneDNN kernel of a convolution or multiplication of f32, of f16 or bf16 into f32, or of int8 (u8 x
 * s8 into s32, where the library rounds nothing). Returns an error if the library has only its plain
 * reference code for a task, since a ratio to that code would be meaningless, or if it does not support the
 * type on this CPU.
 * @param library OfDevice, or OneDnnAlternative for a convolution
 */
Result<std::unique_ptr<VendorKernel>> make_onednn_kernel(const task::Task& task,
                                                         const task::ReferenceInputs& inputs,
                                                         VendorLibrary library = VendorLibrary::OfDevice);

/**
 * Makes a kernel of OpenBLAS, BLIS or libxsmm for a multiplication of f32, which is opened at run time. Call
 * it in a process of its own: the library starts threads, and they are pinned to processors as those of
 * Kernelscape's kernels are. Returns NotFound if the library is not installed, Environment if it is unusable.
 */
Result<std::unique_ptr<VendorKernel>> make_blas_kernel(const task::Task& task,
                                                       const task::ReferenceInputs& inputs,
                                                       VendorLibrary library, int threads);

/**
 * Makes a cuBLAS kernel of a multiplication of f32 (no TF32) or of f16 into f32 (tensor cores), on the CUDA
 * device of this number.
 */
Result<std::unique_ptr<VendorKernel>> make_cublas_kernel(const task::Task& task,
                                                         const task::ReferenceInputs& inputs, int device);

/**
 * Makes a cuDNN kernel of a convolution of f32 or of f16 into f32, with the algorithm that is measured to be
 * the fastest.
 */
Result<std::unique_ptr<VendorKernel>> make_cudnn_kernel(const task::Task& task,
                                                        const task::ReferenceInputs& inputs, int device);

}  // namespace kernelscape::measure
