#include "core/surrogate/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernelscape::surrogate {

GaussianProcess::GaussianProcess(ProductKernel kernel, double nugget)
    : kernel_(std::move(kernel)), nugget_(nugget) {}

void GaussianProcess::fix_mean(double mean) {
  fixed_mean_ = mean;
  settle();
}

void GaussianProcess::hold_scale() { held_scale_ = scale_; }

void GaussianProcess::release_scale() {
  held_scale_.reset();
  settle();
}

void GaussianProcess::add(const base::GridPoint& point, double value) {
  const std::size_t n = points_.size();
  if (static_cast<std::size_t>(factor_.rows()) == n) grow();
  const auto last = static_cast<Eigen::Index>(n);
  for (Eigen::Index i = 0; i < last; ++i)
    factor_(last, i) = kernel_(point, points_[static_cast<std::size_t>(i)]);
  double pivot = 1 + nugget_;
  if (n > 0) {
    auto row = factor_.row(last).head(last).transpose();
    factor_.topLeftCorner(last, last).triangularView<Eigen::Lower>().solveInPlace(row);
    pivot -= row.squaredNorm();
  }
  factor_(last, last) = std::sqrt(std::max(pivot, min_pivot));
  points_.push_back(point);
  values_.push_back(value);
  whiten_last();
  settle();
}

void GaussianProcess::grow() {
  constexpr Eigen::Index first_rows = 64;
  const Eigen::Index rows = std::max(first_rows, 2 * factor_.rows());
  factor_.conservativeResize(rows, rows);
}

/** Appends one number to L^-1 1 and L^-1 values. */
void GaussianProcess::whiten_last() {
  const std::size_t i = ones_.size();
  const std::span<const double> row = factor_row(i);
  double one = 1;
  double value = values_[i];
  for (std::size_t j = 0; j < i; ++j) {
    one -= row[j] * ones_[j];
    value -= row[j] * scaled_[j];
  }
  ones_.push_back(one / row[i]);
  scaled_.push_back(value / row[i]);
}

void GaussianProcess::remove_last(std::size_t count) {
  const std::size_t left = points_.size() - std::min(count, points_.size());
  points_.resize(left);
  values_.resize(left);
  ones_.resize(left);
  scaled_.resize(left);
  settle();
}

void GaussianProcess::set_values(std::span<const double> values) {
  values_.assign(values.begin(), values.end());
  ones_.clear();
  scaled_.clear();
  for (std::size_t i = 0; i < values_.size(); ++i) whiten_last();
  settle();
}

/** Computes mean, scale and residuals from the whitened vectors. */
void GaussianProcess::settle() {
  const auto n = static_cast<Eigen::Index>(points_.size());
  const Eigen::Map<const Eigen::VectorXd> ones(ones_.data(), n);
  const Eigen::Map<const Eigen::VectorXd> scaled(scaled_.data(), n);
  mean_ = fixed_mean_.value_or(n > 0 ? ones.dot(scaled) / ones.squaredNorm() : 0);
  residuals_ = scaled - mean_ * ones;
  // A fixed mean uses no degree of freedom, but the same divisor keeps a single formula.
  const double estimated = n > 1 ? residuals_.squaredNorm() / static_cast<double>(n - 1) : 0;
  scale_ = held_scale_.value_or(estimated);
}

Eigen::VectorXd GaussianProcess::whitened_kernel(const base::GridPoint& point) const {
  const auto n = static_cast<Eigen::Index>(points_.size());
  Eigen::VectorXd whitened(n);
  for (Eigen::Index i = 0; i < n; ++i) whitened[i] = kernel_(point, points_[static_cast<std::size_t>(i)]);
  if (n > 0) factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(whitened);
  return whitened;
}

Posterior GaussianProcess::predict(const base::GridPoint& point) const {
  const Eigen::VectorXd whitened = whitened_kernel(point);
  return {mean_ + whitened.dot(residuals_), scale_ * std::max(0.0, 1 - whitened.squaredNorm())};
}

/** K (K + nugget)^-1 r = r - nugget (K + nugget)^-1 r. */
std::vector<double> GaussianProcess::means_at_points() const {
  const auto n = static_cast<Eigen::Index>(points_.size());
  Eigen::VectorXd weights = residuals_;
  if (n > 0) factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().transpose().solveInPlace(weights);
  std::vector<double> means(points_.size());
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] = values_[i] - nugget_ * weights[static_cast<Eigen::Index>(i)];
  return means;
}

std::span<const double> GaussianProcess::factor_row(std::size_t i) const {
  return {factor_.data() + static_cast<std::size_t>(factor_.cols()) * i, i + 1};
}

}  // namespace kernelscape::surrogate
