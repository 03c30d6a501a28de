#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "core/measure/gpu/cuda_vendor.h"
#include "core/measure/vendor_kernel.h"

namespace kernelscape::measure {
namespace {

// The part of cuBLAS's C interface that Kernelscape uses, in declarations of its own: names, numbers and
// signatures are those of NVIDIA's documentation, the same from version 11 on.
using Handle = struct HandleRecord*;
constexpr int operation_none = 0;
constexpr int operation_transpose = 1;
constexpr int real_f32 = 0;            // CUDA_R_32F
constexpr int real_f16 = 2;            // CUDA_R_16F
constexpr int compute_f32 = 68;        // CUBLAS_COMPUTE_32F
constexpr int default_algorithm = -1;  // CUBLAS_GEMM_DEFAULT: the library's heuristics choose
constexpr int default_math = 0;        // CUBLAS_DEFAULT_MATH: tensor cores for f16, no TF32 for f32
constexpr int major_version = 0;
constexpr int minor_version = 1;
constexpr int patch_level = 2;

struct CublasFunctions {
  int (*create)(Handle* handle) = nullptr;
  int (*destroy)(Handle handle) = nullptr;
  int (*property)(int type, int* value) = nullptr;
  int (*set_math_mode)(Handle handle, int mode) = nullptr;
  int (*multiply)(Handle handle, int operation_a, int operation_b, int m, int n, int k, const void* alpha,
                  const void* a, int type_a, int leading_a, const void* b, int type_b, int leading_b,
                  const void* beta, void* c, int type_c, int leading_c, int compute_type,
                  int algorithm) = nullptr;
  int (*multiply_batch)(Handle handle, int operation_a, int operation_b, int m, int n, int k,
                        const void* alpha, const void* a, int type_a, int leading_a, long long distance_a,
                        const void* b, int type_b, int leading_b, long long distance_b, const void* beta,
                        void* c, int type_c, int leading_c, long long distance_c, int batch, int compute_type,
                        int algorithm) = nullptr;
  const char* (*words)(int status) = nullptr;  ///< null before 11.4
};

struct CublasLibrary {
  CublasFunctions functions;
  std::string name;  ///< "cuBLAS 13.0.2"
};

Result<CublasLibrary> open_cublas() {
  const RuntimeLibrary description =
      toolkit_library("cuBLAS (libcublas)", "KERNELSCAPE_CUBLAS",
                      {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"},
                      "install the CUDA toolkit (Debian: nvidia-cuda-toolkit; or NVIDIA's)");
  const OpenedLibrary opened = TRY(open_runtime_library(description));
  CublasLibrary library;
  CublasFunctions& functions = library.functions;
  const bool complete = opened.bind("cublasCreate_v2", functions.create) &&
                        opened.bind("cublasDestroy_v2", functions.destroy) &&
                        opened.bind("cublasGetProperty", functions.property) &&
                        opened.bind("cublasSetMathMode", functions.set_math_mode) &&
                        opened.bind("cublasGemmEx", functions.multiply) &&
                        opened.bind("cublasGemmStridedBatchedEx", functions.multiply_batch);
  opened.bind("cublasGetStatusString", functions.words);
  int version[3] = {0, 0, 0};
  if (complete)
    for (const int part : {major_version, minor_version, patch_level})
      functions.property(part, &version[part]);
  library.name = fmt::format("cuBLAS {}.{}.{}", version[0], version[1], version[2]);
  if (!complete || version[0] < 11)
    return fail(ErrorCode::Environment, opened.path() + " is too old: cuBLAS 11 or newer is needed",
                description.remedy);
  return library;
}

/** Returns the text for an operand stored in row-major order, as users store it: [rows, columns]. */
const char* stored(bool transposed, const char* plain, const char* other) {
  return transposed ? other : plain;
}

class CublasKernel final : public VendorKernel {
 public:
  CublasKernel(CublasLibrary library, std::unique_ptr<CudaVendorDevice> device, const task::Task& task,
               const task::ReferenceInputs& inputs, task::ScalarType type)
      : library_(std::move(library)),
        device_(std::move(device)),
        multiplication_(std::get<task::MatrixMultiplication>(task.definition)),
        type_(type),
        output_offsets_(row_major_offsets(task.op->output.shape)) {
    check(library_.functions.create(&handle_), "cublasCreate");
    check(library_.functions.set_math_mode(handle_, default_math), "cublasSetMathMode");
    a_ = device_->upload(type, inputs.tensors[0], row_major_offsets(task.op->inputs[0].shape));
    b_ = device_->upload(type, inputs.tensors[1], row_major_offsets(task.op->inputs[1].shape));
    output_ = device_->allocate(output_offsets_.size() * sizeof(float));
  }
  CublasKernel(const CublasKernel&) = delete;
  CublasKernel& operator=(const CublasKernel&) = delete;
  ~CublasKernel() override {
    if (handle_ != nullptr) library_.functions.destroy(handle_);
  }

  trial::VendorResult description() const override {
    trial::VendorResult result;
    result.name = library_.name;
    result.implementation =
        fmt::format("{}, {}{}", batched() ? "cublasGemmStridedBatchedEx" : "cublasGemmEx",
                    type_ == task::ScalarType::F32 ? "f32 without TF32" : "f16 into f32 on tensor cores",
                    device_->host_limit_text());
    result.layouts =
        fmt::format("a {}, b {}, output MxN, row-major", stored(multiplication_.transpose_a, "MxK", "KxM"),
                    stored(multiplication_.transpose_b, "KxN", "NxK"));
    return result;
  }

  double run(std::int64_t calls) override {
    return device_->time(calls, [&] { multiply(); });
  }

  void flush_caches() override { device_->flush_cache(); }

  std::vector<double> output() override {
    return device_->download(task::ScalarType::F32, output_, output_offsets_);
  }

  task::ScalarType output_type() const override { return task::ScalarType::F32; }

 private:
  bool batched() const { return multiplication_.batch > 1; }

  void check(int status, const char* call) const {
    check_library_call(status, library_.name, call, library_.functions.words);
  }

  /**
   * Multiplies. The library's matrices are column-major, so row-major matrices are transposed for it. It
   * therefore computes the transposed output, b^T a^T, whose operands are used as they are stored.
   */
  void multiply() {
    const auto& [batch, m, n, k, is_batched, transpose_a, transpose_b] = multiplication_;
    const auto size = [](std::int64_t extent) { return static_cast<int>(extent); };  // checked before
    const int operation_b = transpose_b ? operation_transpose : operation_none;
    const int operation_a = transpose_a ? operation_transpose : operation_none;
    const int leading_b = size(transpose_b ? k : n);
    const int leading_a = size(transpose_a ? m : k);
    const int input_type = type_ == task::ScalarType::F32 ? real_f32 : real_f16;
    const float one = 1;
    const float zero = 0;
    if (batched()) {
      check(library_.functions.multiply_batch(handle_, operation_b, operation_a, size(n), size(m), size(k),
                                              &one, b_, input_type, leading_b, k * n, a_, input_type,
                                              leading_a, m * k, &zero, output_, real_f32, size(n), m * n,
                                              size(batch), compute_f32, default_algorithm),
            "cublasGemmStridedBatchedEx");
    } else {
      check(library_.functions.multiply(handle_, operation_b, operation_a, size(n), size(m), size(k), &one,
                                        b_, input_type, leading_b, a_, input_type, leading_a, &zero, output_,
                                        real_f32, size(n), compute_f32, default_algorithm),
            "cublasGemmEx");
    }
  }

  CublasLibrary library_;
  std::unique_ptr<CudaVendorDevice> device_;
  task::MatrixMultiplication multiplication_;
  task::ScalarType type_;
  std::vector<std::int64_t> output_offsets_;
  Handle handle_ = nullptr;
  void* a_ = nullptr;
  void* b_ = nullptr;
  void* output_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<VendorKernel>> make_cublas_kernel(const task::Task& task,
                                                         const task::ReferenceInputs& inputs, int device) {
  const task::ScalarType type = TRY(vendor_element_type(*task.op, "cuBLAS"));
  const task::MatrixMultiplication& sizes = std::get<task::MatrixMultiplication>(task.definition);
  if (std::max({sizes.batch, sizes.m, sizes.n, sizes.k}) > std::numeric_limits<int>::max())
    return fail(ErrorCode::NotFound, "cuBLAS uses 31-bit extents, and those of the task are larger");
  CublasLibrary library = TRY(open_cublas());
  std::unique_ptr<CudaVendorDevice> opened = TRY(CudaVendorDevice::open(device));
  return std::make_unique<CublasKernel>(std::move(library), std::move(opened), task, inputs, type);
}

}  // namespace kernelscape::measure
