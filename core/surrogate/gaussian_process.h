#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/surrogate/product_kernel.h"

namespace kernelscape::surrogate {

/** The posterior of a function at a point, without the noise of a measurement. */
struct Posterior {
  double mean = 0;      ///< in the unit of the values
  double variance = 0;  ///< never below 0
};

/**
 * A Gaussian process over the points of a grid: values = mean + scale * (kernel + noise), with a constant
 * mean by generalized least squares and a scale profiled out of the restricted likelihood
 * (core/tuner/README.md, How gp works).
 *
 * The Cholesky factor grows by a row per point, O(n^2), and removes the last rows at no cost. A repeated
 * point is no error: the nugget, and a lower bound of the factor's diagonal, keep the factor regular.
 */
class GaussianProcess {
 public:
  /** The factor's diagonal is never below the square root of this. */
  static constexpr double min_pivot = 1e-12;

  /** @param nugget variance of the noise in units of the scale, at least 0 */
  GaussianProcess(ProductKernel kernel, double nugget);

  const ProductKernel& kernel() const { return kernel_; }  ///< kernel with its current lengthscales
  double nugget() const { return nugget_; }                ///< variance of the noise in units of the scale

  /** Fixes the mean instead of estimating it. */
  void fix_mean(double mean);

  /** Keeps the scale unchanged, whatever is added or removed, until release_scale(). */
  void hold_scale();
  void release_scale();  ///< estimates the scale from the values again

  void add(const base::GridPoint& point,
           double value);  ///< adds a measured value at a point, which may repeat; O(n^2)
  /** Removes the last points, at most all. */
  void remove_last(std::size_t count);
  /** Replaces the values of all points. */
  void set_values(std::span<const double> values);

  std::size_t size() const { return points_.size(); }                     ///< number of points
  const std::vector<base::GridPoint>& points() const { return points_; }  ///< in the order of insertion
  std::span<const double> values() const { return values_; }  ///< one per point, in the same order

  /** Returns the mean: 0 without points, unless it was fixed. */
  double mean() const { return mean_; }
  /** Returns the variance of the process: 0 with fewer than two points, unless it is held. */
  double scale() const { return scale_; }

  /** Returns the posterior at a point. O(n^2). */
  Posterior predict(const base::GridPoint& point) const;
  /**
   * Returns the posterior mean at each point of the process: the estimate of the measured value without
   * noise. O(n^2).
   */
  std::vector<double> means_at_points() const;

  /** Returns row i of the factor: i + 1 numbers. */
  std::span<const double> factor_row(std::size_t i) const;
  /** Returns L^-1 (values - mean). */
  const Eigen::VectorXd& whitened_residuals() const { return residuals_; }

 private:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void grow();
  void whiten_last();
  void settle();
  Eigen::VectorXd whitened_kernel(const base::GridPoint& point) const;

  ProductKernel kernel_;
  double nugget_;
  std::optional<double> fixed_mean_;
  std::optional<double> held_scale_;
  std::vector<base::GridPoint> points_;
  std::vector<double> values_;
  Matrix factor_;               ///< lower triangle; more rows than points
  std::vector<double> ones_;    ///< L^-1 1
  std::vector<double> scaled_;  ///< L^-1 values
  Eigen::VectorXd residuals_;
  double mean_ = 0;
  double scale_ = 0;
};

}  // namespace kernelscape::surrogate
