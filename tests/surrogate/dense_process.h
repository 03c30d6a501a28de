#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <numbers>
#include <optional>
#include <span>

#include "tests/surrogate/grid_cases.h"

namespace kernelscape::testing {

/** The kernel by its formula, prod_d [damping + (1 - damping) g(|u_d - u'_d| / l_d)], from its parameters
 * alone. */
inline double formula_of_kernel(const surrogate::ProductKernel& kernel, const base::GridPoint& a,
                                const base::GridPoint& b) {
  double product = 1;
  for (std::size_t column = 0; column < a.size(); ++column) {
    const base::GridColumn& grid = kernel.columns()[column];
    double distance = a[column] == b[column] ? 0 : 1;
    if (grid.ordered) distance = std::abs(grid.positions[a[column]] - grid.positions[b[column]]);
    const double r = distance / kernel.lengthscales()[column];
    const double root = std::numbers::sqrt3 * r;
    const double g = kernel.correlation() == surrogate::Correlation::Matern32 ? (1 + root) / std::exp(root)
                                                                              : 1 / std::exp(r);
    product *= kernel.damping() + (1 - kernel.damping()) * g;
  }
  return product;
}

/** A Gaussian process by whole matrices: no factor that grows, nothing profiled in passing. */
class DenseProcess {
 public:
  DenseProcess(const surrogate::ProductKernel& kernel, double nugget, std::vector<base::GridPoint> points,
               std::span<const double> values, std::optional<double> fixed_mean = {})
      : kernel_(kernel), points_(std::move(points)) {
    const auto n = static_cast<Eigen::Index>(points_.size());
    covariance_ = Eigen::MatrixXd::Identity(n, n) * nugget;
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) covariance_(i, j) += kernel_of(i, points_[at(j)]);
    solver_.compute(covariance_);
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
    const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(values.data(), n);
    information_ = ones.dot(solver_.solve(ones));
    mean_ = fixed_mean ? *fixed_mean : ones.dot(solver_.solve(y)) / information_;
    residuals_ = y - mean_ * ones;
    weights_ = solver_.solve(residuals_);
    scale_ = n > 1 ? residuals_.dot(weights_) / static_cast<double>(n - 1) : 0;
  }

  const Eigen::MatrixXd& covariance() const { return covariance_; }
  const Eigen::VectorXd& residuals() const { return residuals_; }
  double mean() const { return mean_; }
  double scale() const { return scale_; }

  double mean_at(const base::GridPoint& point) const { return mean_ + kernels(point).dot(weights_); }

  /** In units of the scale. */
  double variance_at(const base::GridPoint& point) const {
    const Eigen::VectorXd k = kernels(point);
    return 1 - k.dot(solver_.solve(k));
  }

  /** Up to a constant that depends on the number of points only. */
  double log_restricted_likelihood() const {
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(covariance_, Eigen::EigenvaluesOnly).eigenvalues();
    const auto n = static_cast<double>(points_.size());
    return -((n - 1) * std::log(scale_) + eigenvalues.array().log().sum() + std::log(information_)) / 2;
  }

 private:
  static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

  double kernel_of(Eigen::Index i, const base::GridPoint& point) const {
    return formula_of_kernel(kernel_, points_[at(i)], point);
  }

  Eigen::VectorXd kernels(const base::GridPoint& point) const {
    Eigen::VectorXd k(static_cast<Eigen::Index>(points_.size()));
    for (Eigen::Index i = 0; i < k.size(); ++i) k[i] = kernel_of(i, point);
    return k;
  }

  surrogate::ProductKernel kernel_;
  std::vector<base::GridPoint> points_;
  Eigen::MatrixXd covariance_;
  Eigen::LDLT<Eigen::MatrixXd> solver_;
  Eigen::VectorXd residuals_;
  Eigen::VectorXd weights_;  ///< K^-1 (y - mean)
  double information_ = 0;   ///< 1' K^-1 1
  double mean_ = 0;
  double scale_ = 0;
};

}  // namespace kernelscape::testing
