#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <span>
#include <utility>
#include <variant>

#include "core/base/process_threads.h"
#include "core/base/processors.h"
#include "core/measure/cpu/blas_library.h"
#include "core/measure/interruption.h"
#include "core/measure/vendor_kernel.h"
#include "core/measure/worker/cache_flush.h"
#include "core/measure/worker/page_buffer.h"

namespace kernelscape::measure {
namespace {

/** Returns the ids of the threads of this process other than the calling one. */
std::vector<pid_t> other_threads() {
  std::vector<pid_t> threads = base::process_threads();
  std::erase(threads, gettid());
  std::ranges::sort(threads);
  return threads;
}

void pin_thread(pid_t thread, int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  sched_setaffinity(thread, sizeof set, &set);
}

/**
 * Pins the calling thread and the library's to one processor each, as those of Kernelscape's kernels are.
 * A library that starts its threads for each call has none yet: all of its threads may use every processor,
 * since they would inherit the only one of the calling thread.
 */
void pin_library_threads() {
  const std::vector<pid_t> threads = other_threads();
  const std::vector<int> processors = base::usable_processors();
  if (threads.empty() || threads.size() >= processors.size()) return;
  pin_thread(0, processors[0]);
  for (std::size_t i = 0; i < threads.size(); ++i) pin_thread(threads[i], processors[i + 1]);
}

/** A multiplication of f32 by a BLAS library, with the matrices as users store them. */
class BlasKernel final : public VendorKernel {
 public:
  BlasKernel(BlasLibrary library, const task::Task& task, const task::ReferenceInputs& inputs)
      : library_(std::move(library)),
        sizes_(std::get<task::MatrixMultiplication>(task.definition)),
        a_(stored(inputs.tensors[0], 0)),
        b_(stored(inputs.tensors[1], 1)),
        output_(allocate(static_cast<std::size_t>(task.op->output.element_count()), 2)) {
    // An element that the library does not write fails the check.
    std::ranges::fill(elements(output_), std::numeric_limits<float>::quiet_NaN());
  }

  trial::VendorResult description() const override {
    trial::VendorResult result;
    result.name = library_.name;
    result.implementation = by_vector() ? "sgemv" : library_.entry;
    if (!library_.description.empty()) result.implementation += " for " + library_.description;
    if (sizes_.batch > 1) result.implementation += ", one call per matrix";
    result.layouts = fmt::format("a {}, b {}, output MxN, row-major", sizes_.transpose_a ? "KxM" : "MxK",
                                 sizes_.transpose_b ? "NxK" : "KxN");
    return result;
  }

  double run(std::int64_t calls) override {
    // The first run has started them. Threads that compute the reference behind it would inherit a processor.
    if (runs_++ == 1) pin_library_threads();
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < calls; ++i) multiply_all();
    return seconds_since(start);
  }

  void flush_caches() override {
    for (const PageBuffer* buffer : {&a_, &b_, &output_}) flush_from_caches(buffer->data(), buffer->size());
  }

  std::vector<double> output() override {
    const std::span<const float> values = elements(output_);
    return {values.begin(), values.end()};
  }

  task::ScalarType output_type() const override { return task::ScalarType::F32; }

 private:
  static std::span<float> elements(const PageBuffer& buffer) {
    return {static_cast<float*>(buffer.data()), buffer.size() / sizeof(float)};
  }

  /** Allocates memory of the same kind as that of Kernelscape's kernels. */
  static PageBuffer allocate(std::size_t count, int stagger) {
    auto buffer = PageBuffer::make(count * sizeof(float), stagger);
    if (!buffer) throw std::bad_alloc();
    return std::move(*buffer);
  }

  static PageBuffer stored(const std::vector<double>& values, int stagger) {
    PageBuffer buffer = allocate(values.size(), stagger);
    std::ranges::transform(values, elements(buffer).begin(),
                           [](double value) { return static_cast<float>(value); });
    return buffer;
  }

  bool by_vector() const {
    return library_.functions.multiply_vector != nullptr && (sizes_.n == 1 || sizes_.m == 1);
  }

  void multiply_all() const {
    const float* a = elements(a_).data();
    const float* b = elements(b_).data();
    float* c = elements(output_).data();
    for (std::int64_t i = 0; i < sizes_.batch; ++i) {
      if (by_vector()) {
        multiply_vector(a, b, c);
      } else {
        multiply(a, b, c);
      }
      a += sizes_.m * sizes_.k;
      b += sizes_.k * sizes_.n;
      c += sizes_.m * sizes_.n;
    }
  }

  /**
   * The library's matrices are column-major, so that row-major matrices are transposed for it. It therefore
   * computes the transposed output, b^T a^T, whose operands are used as they are stored.
   */
  void multiply(const float* a, const float* b, float* c) const {
    const auto [m, n, k] = extents();
    const float one = 1;
    const float zero = 0;
    library_.functions.multiply(transposition(sizes_.transpose_b), transposition(sizes_.transpose_a), &n, &m,
                                &k, &one, b, sizes_.transpose_b ? &k : &n, a, sizes_.transpose_a ? &m : &k,
                                &zero, c, &n);
  }

  /** Multiplies the matrix among the operands by the other operand, whose elements follow each other. */
  void multiply_vector(const float* a, const float* b, float* c) const {
    const auto [m, n, k] = extents();
    const bool a_is_matrix = n == 1;
    const int length = a_is_matrix ? m : n;  // of the output
    // A matrix [outputs, products] in row-major order is its transposed one in column-major order.
    const bool outputs_are_rows = a_is_matrix ? !sizes_.transpose_a : sizes_.transpose_b;
    const int rows = outputs_are_rows ? k : length;
    const int columns = outputs_are_rows ? length : k;
    const int step = 1;
    const float one = 1;
    const float zero = 0;
    library_.functions.multiply_vector(outputs_are_rows ? "T" : "N", &rows, &columns, &one,
                                       a_is_matrix ? a : b, &rows, a_is_matrix ? b : a, &step, &zero, c,
                                       &step);
  }

  static const char* transposition(bool transposed) { return transposed ? "T" : "N"; }

  struct Extents {
    int m, n, k;
  };
  Extents extents() const {
    return {static_cast<int>(sizes_.m), static_cast<int>(sizes_.n), static_cast<int>(sizes_.k)};
  }

  BlasLibrary library_;
  task::MatrixMultiplication sizes_;
  PageBuffer a_;
  PageBuffer b_;
  PageBuffer output_;
  std::int64_t runs_ = 0;
};

}  // namespace

Result<std::unique_ptr<VendorKernel>> make_blas_kernel(const task::Task& task,
                                                       const task::ReferenceInputs& inputs,
                                                       VendorLibrary library, int threads) {
  const auto* sizes = std::get_if<task::MatrixMultiplication>(&task.definition);
  if (sizes == nullptr || task::operand_types(*task.op) != task::OperandTypes{})
    return fail(ErrorCode::NotFound, fmt::format("{} multiplies matrices of f32", to_string(library)));
  if (!task.op->epilogue.empty())
    return fail(ErrorCode::NotFound, fmt::format("{} applies no epilogue to its sums", to_string(library)));
  if (std::max({sizes->m, sizes->n, sizes->k}) > std::numeric_limits<int>::max())
    return fail(ErrorCode::NotFound,
                fmt::format("{} uses 31-bit extents, and those of the task are larger", to_string(library)));
  BlasLibrary opened = TRY(open_blas_library(library, threads));
  try {
    return std::make_unique<BlasKernel>(std::move(opened), task, inputs);
  } catch (const std::exception& problem) {
    return fail(ErrorCode::Environment, fmt::format("{}: {}", to_string(library), problem.what()));
  }
}

}  // namespace kernelscape::measure
