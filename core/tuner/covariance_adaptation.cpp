#include "core/tuner/covariance_adaptation.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::tuner {
namespace {

/// Keeps a degenerate covariance invertible.
constexpr double min_eigenvalue = 1e-14;

}  // namespace

std::size_t default_samples(std::size_t dimensions) {
  return 4 + static_cast<std::size_t>(3 * std::log(static_cast<double>(dimensions)));
}

CovarianceAdaptation::CovarianceAdaptation(Eigen::VectorXd mean, double step, std::size_t samples)
    : samples_(samples), mean_(std::move(mean)), step_(step) {
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 1; i <= samples / 2; ++i) {
    weights_.push_back(std::log((static_cast<double>(samples) + 1) / 2) - std::log(static_cast<double>(i)));
    sum += weights_.back();
  }
  for (double& weight : weights_) {
    weight /= sum;
    squares += weight * weight;
  }
  effective_ = 1 / squares;
  covariance_ = Eigen::MatrixXd::Identity(mean_.size(), mean_.size());
  step_path_ = Eigen::VectorXd::Zero(mean_.size());
  covariance_path_ = step_path_;
  decompose();
}

Eigen::VectorXd CovarianceAdaptation::sample(base::Random& random) const {
  Eigen::VectorXd scaled(mean_.size());
  for (Eigen::Index i = 0; i < scaled.size(); ++i) scaled[i] = lengths_[i] * random.normal();
  return mean_ + step_ * (axes_ * scaled);
}

void CovarianceAdaptation::update(std::span<const Eigen::VectorXd> ranked) {
  const auto n = static_cast<double>(mean_.size());
  const double step_rate = (effective_ + 2) / (n + effective_ + 5);
  const double damping = 1 + 2 * std::max(0.0, std::sqrt((effective_ - 1) / (n + 1)) - 1) + step_rate;
  const double path_rate = (4 + effective_ / n) / (n + 4 + 2 * effective_ / n);
  const double rank_one_rate = 2 / ((n + 1.3) * (n + 1.3) + effective_);
  const double rank_many_rate =
      std::min(1 - rank_one_rate, 2 * (effective_ - 2 + 1 / effective_) / ((n + 2) * (n + 2) + effective_));
  const double expected_length = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));

  Eigen::VectorXd move = Eigen::VectorXd::Zero(mean_.size());
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(mean_.size(), mean_.size());
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const Eigen::VectorXd difference = (ranked[i] - mean_) / step_;
    move += weights_[i] * difference;
    spread += weights_[i] * difference * difference.transpose();
  }
  mean_ += step_ * move;

  const Eigen::VectorXd whitened = axes_ * (axes_.transpose() * move).cwiseQuotient(lengths_);
  step_path_ = (1 - step_rate) * step_path_ + std::sqrt(step_rate * (2 - step_rate) * effective_) * whitened;
  ++generations_;
  const double unbiased = std::sqrt(1 - std::pow(1 - step_rate, 2 * generations_));
  const bool stalled = step_path_.norm() / unbiased >= (1.4 + 2 / (n + 1)) * expected_length;
  covariance_path_ *= 1 - path_rate;
  if (!stalled) covariance_path_ += std::sqrt(path_rate * (2 - path_rate) * effective_) * move;

  const double kept =
      1 - rank_one_rate - rank_many_rate + (stalled ? rank_one_rate * path_rate * (2 - path_rate) : 0);
  covariance_ = kept * covariance_ + rank_one_rate * covariance_path_ * covariance_path_.transpose() +
                rank_many_rate * spread;
  step_ *= std::exp(step_rate / damping * (step_path_.norm() / expected_length - 1));
  decompose();
}

void CovarianceAdaptation::raise_deviations(const Eigen::VectorXd& floors) {
  for (Eigen::Index i = 0; i < floors.size(); ++i) {
    const double least = floors[i] / step_;
    covariance_(i, i) = std::max(covariance_(i, i), least * least);
  }
  decompose();
}

void CovarianceAdaptation::decompose() {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance_);
  axes_ = solver.eigenvectors();
  lengths_ = solver.eigenvalues().cwiseMax(min_eigenvalue).cwiseSqrt();
}

}  // namespace kernelscape::tuner
