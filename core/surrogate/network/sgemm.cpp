#include "core/surrogate/network/sgemm.h"

#ifdef KERNELSCAPE_ONEDNN

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

namespace kernelscape::surrogate {
namespace {

/**
 * Restricts oneDNN to the calling thread. oneDNN has its own OpenMP runtime, which is not always the
 * compiler's, so it is looked up among the loaded libraries; without one, oneDNN has no OpenMP threads.
 */
class OneOpenMpThread {
 public:
  OneOpenMpThread() {
    if (set_threads() == nullptr || max_threads() == nullptr) return;
    before_ = max_threads()();
    if (before_ != 1) set_threads()(1);
  }
  ~OneOpenMpThread() {
    if (before_ > 1) set_threads()(before_);
  }
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  using SetThreads = void (*)(int);
  using MostThreads = int (*)();

  static SetThreads set_threads() {
    static const auto found = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    return found;
  }
  static MostThreads max_threads() {
    static const auto found = reinterpret_cast<MostThreads>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    return found;
  }

  int before_ = 1;
};

dnnl_dim_t dimension(std::size_t size) { return static_cast<dnnl_dim_t>(size); }
char transposition(const Factor& factor) { return factor.transposed ? 'T' : 'N'; }

}  // namespace

void multiply(const ProductSize& size, const Factor& left, const Factor& right, float kept, float* result,
              std::size_t result_stride) {
  const OneOpenMpThread one_thread;
  // Fails only for sizes and strides that do not fit each other.
  dnnl_sgemm(transposition(left), transposition(right), dimension(size.rows), dimension(size.columns),
             dimension(size.depth), 1, left.data, dimension(left.stride), right.data, dimension(right.stride),
             kept, result, dimension(result_stride));
}

}  // namespace kernelscape::surrogate

#else

#include <Eigen/Core>

namespace kernelscape::surrogate {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<> >;

Eigen::Index dimension(std::size_t size) { return static_cast<Eigen::Index>(size); }

ConstMap map_factor(const Factor& factor, std::size_t rows, std::size_t columns) {
  return {factor.data, dimension(factor.transposed ? columns : rows),
          dimension(factor.transposed ? rows : columns), Eigen::OuterStride<>(dimension(factor.stride))};
}

}  // namespace

void multiply(const ProductSize& size, const Factor& left, const Factor& right, float kept, float* result,
              std::size_t result_stride) {
  Eigen::Map<RowMajor, 0, Eigen::OuterStride<> > sum(result, dimension(size.rows), dimension(size.columns),
                                                     Eigen::OuterStride<>(dimension(result_stride)));
  if (kept == 0) sum.setZero();
  const ConstMap a = map_factor(left, size.rows, size.depth);
  const ConstMap b = map_factor(right, size.depth, size.columns);
  if (left.transposed && right.transposed) {
    sum.noalias() += a.transpose() * b.transpose();
  } else if (left.transposed) {
    sum.noalias() += a.transpose() * b;
  } else if (right.transposed) {
    sum.noalias() += a * b.transpose();
  } else {
    sum.noalias() += a * b;
  }
}

}  // namespace kernelscape::surrogate

#endif
