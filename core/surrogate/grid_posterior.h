#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/surrogate/gaussian_process.h"

namespace kernelscape {

/**
 * The posterior of a process at many points at once, in single precision: L^-1 k over all of them is kept, so
 * that a point more costs one pass over them. Follows one process at a time.
 */
class GridPosterior {
 public:
  explicit GridPosterior(GridPoints points);

  std::size_t size() const { return points_.size(); }  ///< points whose posterior is kept
  /** In the order of the numbers that `means` and `variances` give. */
  const GridPoints& points() const { return points_; }

  /**
   * Keeps what it knows of the process's first points, forgets the others, and learns those that are new. A
   * process with another kernel or nugget is learnt anew.
   */
  void follow(const GaussianProcess& process);

  /** Of the process that was followed last, one number per point; variances without the nugget. */
  Eigen::VectorXf means(const GaussianProcess& process) const;
  /** Of the function without noise, in the squared unit of the values; never below 0. */
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
  std::vector<GridPoint> followed_;
  Rows rows_;                ///< L^-1 k, a row per followed point; more rows than these
  Eigen::VectorXf squares_;  ///< column sums of the rows' squares
};

}  // namespace kernelscape
