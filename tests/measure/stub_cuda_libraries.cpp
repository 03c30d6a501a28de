// Stands in for cuBLAS and cuDNN on the stub of the driver, whose memory is the host's (stub_cuda.h). The
// parts of both interfaces that are called here are written after NVIDIA's documentation, apart from the
// declarations under test. Every call fills its output with the driver's cuMemsetD8Async first: that moves
// the stub's clock by a microsecond per MiB. KERNELSCAPE_STUB_CUDNN, words of the form key=value, says how
// cuDNN behaves:
//   fail=NAME     the function of this name gives CUDNN_STATUS_NOT_SUPPORTED (3000)
//   wrong=1       convolutions leave their output's first element at zero
//   fast=F:A:M    algorithm A with math type M in format F (0 NCHW, 1 NHWC) is the fastest that is found
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int success = 0;
constexpr int not_supported = 3000;

std::string setting(std::string_view key) {
  const char* text = std::getenv("KERNELSCAPE_STUB_CUDNN");
  const std::string words = text != nullptr ? std::string(" ") + text + " " : " ";
  const std::size_t found = words.find(" " + std::string(key) + "=");
  if (found == std::string::npos) return {};
  const std::size_t start = found + key.size() + 2;
  return words.substr(start, words.find(' ', start) - start);
}

bool fails(std::string_view function) { return setting("fail") == function; }

/** Zeros, written by the stub's driver so that its clock moves. */
void clear(void* memory, std::size_t bytes) {
  const char* named = std::getenv("KERNELSCAPE_LIBCUDA");
  void* driver = dlopen(named != nullptr ? named : "libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) std::abort();
  using Set = int(std::uint64_t, unsigned char, std::size_t, void*);
  auto* set = reinterpret_cast<Set*>(dlsym(driver, "cuMemsetD8Async"));
  if (set(reinterpret_cast<std::uint64_t>(memory), 0, bytes, nullptr) != 0) std::abort();
  dlclose(driver);
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int digits = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(digits, -24) : std::ldexp(1024 + digits, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/** The nearest half, even on a tie; what is below the smallest normal one becomes zero. */
std::uint16_t to_half(double value) {
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::abs(value);
  if (size < std::ldexp(1.0, -14)) return static_cast<std::uint16_t>(sign);
  const int exponent = std::ilogb(size);
  const auto digits =
      static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));  // a carry is right too
  return static_cast<std::uint16_t>(sign + ((exponent + 14) << 10) + digits);
}

constexpr int real_f32 = 0;
constexpr int real_f16 = 2;

double load(const void* memory, int type, std::int64_t index) {
  if (type == real_f32) return static_cast<double>(static_cast<const float*>(memory)[index]);
  return from_half(static_cast<const std::uint16_t*>(memory)[index]);
}

void store(void* memory, int type, std::int64_t index, double value) {
  if (type == real_f32) {
    static_cast<float*>(memory)[index] = static_cast<float>(value);
  } else {
    static_cast<std::uint16_t*>(memory)[index] = to_half(value);
  }
}

std::int64_t bytes_of(int type) { return type == real_f32 ? 4 : 2; }

/** Column-major: element (row, column) of what the operation makes of a matrix. */
double element(const void* matrix, int type, int operation, int leading, std::int64_t offset,
               std::int64_t row, std::int64_t column) {
  const std::int64_t place = operation == 0 ? row + column * leading : column + row * leading;
  return load(matrix, type, offset + place);
}

struct Tensor {
  int format = 0;
  int type = 0;
  std::vector<int> extents;

  std::int64_t count() const {
    std::int64_t product = 1;
    for (const int extent : extents) product *= extent;
    return product;
  }
  std::int64_t place(const std::vector<std::int64_t>& index) const {
    std::int64_t offset = index[0];
    if (format == 0) offset = offset * extents[1] + index[1];
    for (std::size_t i = 2; i < extents.size(); ++i) offset = offset * extents[i] + index[i];
    return format == 0 ? offset : offset * extents[1] + index[1];
  }
};

struct Convolution {
  std::vector<int> padding;
  std::vector<int> stride;
  std::vector<int> dilation;
  int groups = 1;
  int math = 0;
};

/** cudnnConvolutionFwdAlgoPerf_t and cudnnConvolutionBwdDataAlgoPerf_t. */
struct Performance {
  int algorithm;
  int status;
  float milliseconds;
  std::size_t memory;
  int determinism;
  int math;
  int reserved[3];
};

/** Visits all indices below these extents, the last the fastest. */
template <typename Visit>
void for_each(const std::vector<int>& extents, const Visit& visit) {
  std::vector<std::int64_t> index(extents.size(), 0);
  for (;;) {
    visit(index);
    std::size_t i = extents.size();
    while (i > 0 && ++index[i - 1] == extents[i - 1]) index[--i] = 0;
    if (i == 0) return;
  }
}

/** Adds every product of a forward convolution x * w = y to `add(x place, w place, y place)`. */
template <typename Add>
void convolve(const Tensor& x, const Tensor& w, const Tensor& y, const Convolution& how, const Add& add) {
  const std::int64_t outputs_of_group = w.extents[0] / how.groups;
  for_each(y.extents, [&](const std::vector<std::int64_t>& out) {
    for_each(
        std::vector<int>(w.extents.begin() + 1, w.extents.end()), [&](const std::vector<std::int64_t>& in) {
          const std::int64_t group = out[1] / outputs_of_group;
          std::vector<std::int64_t> from{out[0], group * w.extents[1] + in[0]};
          for (std::size_t i = 0; i < how.stride.size(); ++i) {
            const std::int64_t at = out[i + 2] * how.stride[i] - how.padding[i] + in[i + 1] * how.dilation[i];
            if (at < 0 || at >= x.extents[i + 2]) return;
            from.push_back(at);
          }
          std::vector<std::int64_t> weight{out[1]};
          weight.insert(weight.end(), in.begin(), in.end());
          add(x.place(from), w.place(weight), y.place(out));
        });
  });
}

void write_result(const Tensor& tensor, void* memory, const std::vector<double>& sums) {
  clear(memory, static_cast<std::size_t>(tensor.count() * bytes_of(tensor.type)));
  for (std::size_t i = setting("wrong") == "1" ? 1 : 0; i < sums.size(); ++i)
    store(memory, tensor.type, static_cast<std::int64_t>(i), sums[i]);
}

/** Two algorithms, each with the default arithmetic and with that of the description; one is the fastest. */
int find(const Tensor& x, const Convolution& how, int requested, int* returned, Performance* found) {
  int format = 0;
  int algorithm = 1;
  int math = 3;
  std::sscanf(setting("fast").c_str(), "%d:%d:%d", &format, &algorithm, &math);
  *returned = 0;
  for (const int candidate : {0, 1}) {
    for (const int arithmetic : {0, how.math}) {
      if (*returned == requested) return success;
      const bool fastest = x.format == format && candidate == algorithm && arithmetic == math;
      found[(*returned)++] = {candidate, success, fastest ? 1.0F : 2.0F + static_cast<float>(x.format),
                              1 << 20,   1,       arithmetic,
                              {0, 0, 0}};
    }
  }
  // What does not apply is listed last, with its status.
  if (*returned < requested) found[(*returned)++] = {4, not_supported, -1.0F, 0, 1, how.math, {0, 0, 0}};
  return success;
}

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  *handle = new int(0);
  return success;
}
int cublasDestroy_v2(void* handle) {
  delete static_cast<int*>(handle);
  return success;
}
int cublasGetProperty(int type, int* value) {
  constexpr int version[] = {13, 4, 2};
  *value = version[type];
  return success;
}
int cublasSetMathMode(void*, int mode) { return mode == 0 ? success : 7; }
const char* cublasGetStatusString(int) { return "CUBLAS_STATUS_OF_THE_STUB"; }

int cublasGemmStridedBatchedEx(void*, int operation_a, int operation_b, int m, int n, int k,
                               const void* alpha, const void* a, int type_a, int lda, long long stride_a,
                               const void* b, int type_b, int ldb, long long stride_b, const void* beta,
                               void* c, int type_c, int ldc, long long stride_c, int batch, int compute,
                               int algorithm) {
  constexpr int compute_f32 = 68;
  if (compute != compute_f32 || algorithm != -1 || type_a != type_b || type_c != real_f32) return 15;
  if (lda < (operation_a == 0 ? m : k) || ldb < (operation_b == 0 ? k : n) || ldc < m) return 7;
  if (*static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0) return 7;
  clear(c, static_cast<std::size_t>(std::int64_t{m} * n * batch * bytes_of(type_c)));
  for (std::int64_t i = 0; i < batch; ++i) {
    for (int column = 0; column < n; ++column) {
      for (int row = 0; row < m; ++row) {
        double sum = 0;
        for (int inner = 0; inner < k; ++inner)
          sum += element(a, type_a, operation_a, lda, i * stride_a, row, inner) *
                 element(b, type_b, operation_b, ldb, i * stride_b, inner, column);
        store(c, type_c, i * stride_c + row + std::int64_t{column} * ldc, sum);
      }
    }
  }
  return success;
}

int cublasGemmEx(void* handle, int operation_a, int operation_b, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, const void* b, int type_b, int ldb, const void* beta,
                 void* c, int type_c, int ldc, int compute, int algorithm) {
  return cublasGemmStridedBatchedEx(handle, operation_a, operation_b, m, n, k, alpha, a, type_a, lda, 0, b,
                                    type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, compute, algorithm);
}

std::size_t cudnnGetVersion() { return 91'301; }
const char* cudnnGetErrorString(int) { return "CUDNN_STATUS_OF_THE_STUB"; }
int cudnnCreate(void** handle) { return cublasCreate_v2(handle); }
int cudnnDestroy(void* handle) { return cublasDestroy_v2(handle); }

int cudnnCreateTensorDescriptor(Tensor** tensor) {
  *tensor = new Tensor;
  return fails("cudnnCreateTensorDescriptor") ? not_supported : success;
}
int cudnnDestroyTensorDescriptor(Tensor* tensor) {
  delete tensor;
  return success;
}
int cudnnSetTensorNdDescriptorEx(Tensor* tensor, int format, int type, int dimensions, const int* extents) {
  *tensor = {format, type, {extents, extents + dimensions}};
  return dimensions >= 4 ? success : 2000;
}
int cudnnCreateFilterDescriptor(Tensor** filter) { return cudnnCreateTensorDescriptor(filter); }
int cudnnDestroyFilterDescriptor(Tensor* filter) { return cudnnDestroyTensorDescriptor(filter); }
int cudnnSetFilterNdDescriptor(Tensor* filter, int type, int format, int dimensions, const int* extents) {
  return cudnnSetTensorNdDescriptorEx(filter, format, type, dimensions, extents);
}
int cudnnCreateConvolutionDescriptor(Convolution** convolution) {
  *convolution = new Convolution;
  return success;
}
int cudnnDestroyConvolutionDescriptor(Convolution* convolution) {
  delete convolution;
  return success;
}
int cudnnSetConvolutionNdDescriptor(Convolution* convolution, int dimensions, const int* padding,
                                    const int* stride, const int* dilation, int mode, int compute) {
  convolution->padding.assign(padding, padding + dimensions);
  convolution->stride.assign(stride, stride + dimensions);
  convolution->dilation.assign(dilation, dilation + dimensions);
  return mode == 1 && compute == 0 && dimensions >= 2 ? success : 2000;
}
int cudnnSetConvolutionGroupCount(Convolution* convolution, int groups) {
  convolution->groups = groups;
  return success;
}
int cudnnSetConvolutionMathType(Convolution* convolution, int math) {
  convolution->math = math;
  return success;
}

int cudnnFindConvolutionForwardAlgorithmEx(void*, const Tensor* x, const void*, const Tensor*, const void*,
                                           const Convolution* convolution, const Tensor*, void*,
                                           int requested, int* returned, Performance* found, void*,
                                           std::size_t) {
  if (fails("cudnnFindConvolutionForwardAlgorithmEx")) return not_supported;
  return find(*x, *convolution, requested, returned, found);
}
int cudnnFindConvolutionBackwardDataAlgorithmEx(void*, const Tensor*, const void*, const Tensor* dy,
                                                const void*, const Convolution* convolution, const Tensor*,
                                                void*, int requested, int* returned, Performance* found,
                                                void*, std::size_t) {
  return find(*dy, *convolution, requested, returned, found);
}

int cudnnConvolutionForward(void*, const void*, const Tensor* x, const void* x_data, const Tensor* w,
                            const void* w_data, const Convolution* convolution, int, void*, std::size_t,
                            const void*, const Tensor* y, void* y_data) {
  if (fails("cudnnConvolutionForward")) return not_supported;
  // As the library does, the default arithmetic rounds more than it should: no test may get it for f32.
  if (x->type == real_f32 && convolution->math != 3) return not_supported;
  std::vector<double> sums(static_cast<std::size_t>(y->count()), 0);
  convolve(*x, *w, *y, *convolution, [&](std::int64_t from, std::int64_t weight, std::int64_t to) {
    sums[static_cast<std::size_t>(to)] += load(x_data, x->type, from) * load(w_data, w->type, weight);
  });
  write_result(*y, y_data, sums);
  return success;
}

/** The gradient of a forward convolution dx * w = dy by its input. */
int cudnnConvolutionBackwardData(void*, const void*, const Tensor* w, const void* w_data, const Tensor* dy,
                                 const void* dy_data, const Convolution* convolution, int, void*, std::size_t,
                                 const void*, const Tensor* dx, void* dx_data) {
  std::vector<double> sums(static_cast<std::size_t>(dx->count()), 0);
  convolve(*dx, *w, *dy, *convolution, [&](std::int64_t to, std::int64_t weight, std::int64_t from) {
    sums[static_cast<std::size_t>(to)] += load(dy_data, dy->type, from) * load(w_data, w->type, weight);
  });
  write_result(*dx, dx_data, sums);
  return success;
}

}  // extern "C"
