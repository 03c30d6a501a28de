#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/random.h"

namespace kernelscape::tuner {

/** Returns the default number of samples in a generation: 4 + floor(3 ln(dimensions)). */
std::size_t default_samples(std::size_t dimensions);

/**
 * The normal distribution of CMA-ES (Hansen 2016, "The CMA Evolution Strategy: A Tutorial", figure 6 and
 * table 1), with its default parameters and positive weights.
 */
class CovarianceAdaptation {
 public:
  /** @param samples per generation, at least 4 */
  CovarianceAdaptation(Eigen::VectorXd mean, double step, std::size_t samples);

  /** Draws a point. */
  Eigen::VectorXd sample(base::Random& random) const;

  /** Adapts mean, step and covariance to a generation. @param ranked its points, the best first */
  void update(std::span<const Eigen::VectorXd> ranked);

  /** Widens each coordinate whose standard deviation is below its floor. */
  void raise_deviations(const Eigen::VectorXd& floors);

  const Eigen::VectorXd& mean() const { return mean_; }              ///< centre of the distribution
  double step() const { return step_; }                              ///< sigma
  const Eigen::MatrixXd& covariance() const { return covariance_; }  ///< C, of points / step
  std::size_t samples() const { return samples_; }                   ///< lambda

 private:
  void decompose();

  std::size_t samples_;
  std::vector<double> weights_;  ///< of the best half, of sum 1
  double effective_ = 0;         ///< variance effective selection mass
  Eigen::VectorXd mean_;
  double step_;
  Eigen::MatrixXd covariance_;
  Eigen::MatrixXd axes_;     ///< eigenvectors of the covariance
  Eigen::VectorXd lengths_;  ///< square roots of its eigenvalues
  Eigen::VectorXd step_path_;
  Eigen::VectorXd covariance_path_;
  int generations_ = 0;
};

}  // namespace kernelscape::tuner
