#include "core/surrogate/kernel_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace kernelscape::surrogate {
namespace {

Eigen::MatrixXd covariance(const ProductKernel& kernel, double nugget,
                           std::span<const base::GridPoint> points) {
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < i; ++j)
      matrix(i, j) = kernel(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
    matrix(i, i) = 1 + nugget;
  }
  return matrix;  // the factorization reads only the lower triangle
}

double log_normal_density(double value, double median, double deviation) {
  const double z = std::log(value / median) / deviation;
  return -z * z / 2;
}

/** Moves a positive number by steps of its logarithm. */
double moved(double value, double step, double least, double most) {
  return std::clamp(value * std::exp(step), least, most);
}

/** The search's state: the best kernel so far and its density. */
class KernelSearch {
 public:
  KernelSearch(ProductKernel kernel, const KernelPrior& prior, std::span<const base::GridPoint> points,
               std::span<const double> values)
      : kernel_(std::move(kernel)), prior_(prior), points_(points), values_(values) {}

  void start(const KernelFit& fit) {
    best_ = bounded(fit);
    density_ = density(best_);
  }

  /** @return true if the proposal is better and therefore kept */
  bool accept(const KernelFit& proposal) {
    const double density_there = density(proposal);
    if (!(density_there > density_)) return false;
    best_ = proposal;
    density_ = density_there;
    return true;
  }

  const KernelFit& best() const { return best_; }

 private:
  KernelFit bounded(KernelFit fit) const {
    for (double& lengthscale : fit.lengthscales)
      lengthscale = std::clamp(lengthscale, prior_.min_lengthscale, prior_.max_lengthscale);
    fit.nugget = std::clamp(fit.nugget, prior_.min_nugget, prior_.max_nugget);
    return fit;
  }

  double density(const KernelFit& fit) {
    double sum = log_normal_density(fit.nugget, prior_.nugget, prior_.nugget_deviation);
    for (std::size_t column = 0; column < fit.lengthscales.size(); ++column) {
      if (kernel_.lengthscales()[column] != fit.lengthscales[column])
        kernel_.set_lengthscale(column, fit.lengthscales[column]);
      sum += log_normal_density(fit.lengthscales[column], 1, prior_.lengthscale_deviation);
    }
    return sum + log_restricted_likelihood(kernel_, fit.nugget, points_, values_);
  }

  ProductKernel kernel_;
  const KernelPrior& prior_;
  std::span<const base::GridPoint> points_;
  std::span<const double> values_;
  KernelFit best_;
  double density_ = 0;
};

KernelFit propose(KernelFit fit, double size, const KernelPrior& prior, const FitSteps& steps,
                  base::Random& random) {
  const auto move_lengthscale = [&](double& lengthscale, double step) {
    lengthscale = moved(lengthscale, step * random.normal(), prior.min_lengthscale, prior.max_lengthscale);
  };
  const auto move_nugget = [&](double step) {
    fit.nugget = moved(fit.nugget, step * random.normal(), prior.min_nugget, prior.max_nugget);
  };
  if (random.chance(steps.joint_probability)) {
    for (double& lengthscale : fit.lengthscales) move_lengthscale(lengthscale, steps.joint_step * size);
    move_nugget(steps.joint_nugget_step * size);
    return fit;
  }
  const std::size_t coordinate = random.below(fit.lengthscales.size() + 1);
  if (coordinate < fit.lengthscales.size()) {
    move_lengthscale(fit.lengthscales[coordinate], steps.single_step * size);
  } else {
    move_nugget(steps.single_nugget_step * size);
  }
  return fit;
}

}  // namespace

double log_restricted_likelihood(const ProductKernel& kernel, double nugget,
                                 std::span<const base::GridPoint> points, std::span<const double> values) {
  constexpr double impossible = -std::numeric_limits<double>::infinity();
  const auto n = static_cast<Eigen::Index>(points.size());
  // For equal values, the scale would be a meaningless rounding error.
  if (n < 2 || std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end())
    return impossible;
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance(kernel, nugget, points));
  if (factor.info() != Eigen::Success) return impossible;
  const Eigen::VectorXd ones = factor.matrixL().solve(Eigen::VectorXd::Ones(n));
  const Eigen::VectorXd whitened =
      factor.matrixL().solve(Eigen::Map<const Eigen::VectorXd>(values.data(), n));
  const double mean = ones.dot(whitened) / ones.squaredNorm();
  const double scale = (whitened - mean * ones).squaredNorm() / static_cast<double>(n - 1);
  if (!(scale > 0)) return impossible;
  const double log_determinant = 2 * factor.matrixLLT().diagonal().array().log().sum();
  return -(static_cast<double>(n - 1) * std::log(scale) + log_determinant + std::log(ones.squaredNorm())) / 2;
}

KernelFit fit_kernel(ProductKernel kernel, const KernelFit& start, const KernelPrior& prior,
                     const FitSteps& steps, std::span<const base::GridPoint> points,
                     std::span<const double> values, base::Random& random) {
  KernelSearch search(std::move(kernel), prior, points, values);
  search.start(start);
  double size = steps.first_size;
  for (int proposal = 0; proposal < steps.proposals; ++proposal) {
    if (search.accept(propose(search.best(), size, prior, steps, random))) {
      size = std::min(size * steps.success_growth, steps.max_size);
    } else {
      size = std::max(size * steps.failure_decay, steps.min_size);
    }
  }
  return search.best();
}

}  // namespace kernelscape::surrogate
