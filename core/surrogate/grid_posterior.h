#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/surrogate/gaussian_process.h"

namespace kernelscape::surrogate {

/**
 * The posterior of a process at many points at once, in single precision. Keeps L^-1 k over all of them, so
 * that a new point of the process costs one pass over them. Follows one process at a time.
 */
class GridPosterior {
 public:
  explicit GridPosterior(GridPoints points);

  std::size_t size() const { return points_.size(); }  ///< number of points whose posterior is kept
  /** Returns the points in the order of the numbers that `means` and `variances` return. */
  const GridPoints& points() const { return points_; }

  /**
   * Updates the posterior to a process: keeps the rows of its unchanged first points, drops the others, and
   * adds those of new points. For a process with another kernel or nugget, all rows are recomputed.
   */
  void follow(const GaussianProcess& process);

  /** Returns the posterior means of the process that was followed last, one number per point. */
  Eigen::VectorXf means(const GaussianProcess& process) const;
  /**
   * Returns the variances of the function without noise (without the nugget), in the squared unit of the
   * values; never below 0.
   */
  Eigen::VectorXf variances(const GaussianProcess& process) const;

 private:
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  struct Model {
    std::vector<double> lengthscales;
    Correlation correlation = Correlation::Matern32;
    double damping = 0;
    double nugget = 0;

    bool operator==(const Model&) const = default;
  };

  void forget(std::size_t kept);
  void add_squares(std::size_t first, std::size_t last);
  void learn(const GaussianProcess& process, std::size_t first);

  GridPoints points_;
  std::optional<Model> model_;
  std::vector<base::GridPoint> followed_;
  Rows rows_;                ///< L^-1 k, a row per followed point; more rows than these
  Eigen::VectorXf squares_;  ///< column sums of the squared rows
};

}  // namespace kernelscape::surrogate
