#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/grid.h"

namespace kernelscape {

/** Many points of one grid, held by column. */
class GridPoints {
 public:
  explicit GridPoints(std::size_t columns) : levels_(columns) {}

  void add(const GridPoint& point);                       ///< one level per column
  void clear();                                           ///< takes all points away; the columns stay
  std::size_t size() const { return size_; }              ///< number of points
  std::size_t columns() const { return levels_.size(); }  ///< levels of a point
  GridPoint at(std::size_t number) const;  ///< a point by its number, in the order they were added
  /** By the points' numbers. */
  std::span<const std::uint32_t> levels(std::size_t column) const { return levels_[column]; }

 private:
  std::size_t size_ = 0;
  std::vector<std::vector<std::uint32_t>> levels_;
};

/** How a correlation g falls with the distance r in lengthscales. */
enum class Correlation : std::uint8_t {
  Matern32,    ///< (1 + sqrt(3) r) exp(-sqrt(3) r)
  Exponential  ///< exp(-r)
};

/** What a kernel is but for its lengthscales. */
struct KernelShape {
  Correlation correlation = Correlation::Exponential;
  double damping = 0.2;  ///< share of a column's factor that no distance takes away
};

/** g at r >= 0. */
double correlation_at(Correlation correlation, double r);

/**
 * The damped product kernel on a grid: k(x, x') = prod_d [damping + (1 - damping) g(|u_d - u'_d| / l_d)]. No
 * single column can make two points unrelated. k(x, x) = 1.
 */
class ProductKernel {
 public:
  /**
   * @param damping share of a column's factor that no distance takes away, in [0, 1]
   * @param lengthscales one per column, positive, in units of the column's whole range
   */
  ProductKernel(std::vector<GridColumn> columns, Correlation correlation, double damping,
                std::vector<double> lengthscales);

  /** The grid's, in the order of the lengthscales. */
  const std::vector<GridColumn>& columns() const { return columns_; }
  /** How every column's factor falls with the distance. */
  Correlation correlation() const { return correlation_; }
  /** Share of a column's factor that no distance takes away, in [0, 1]. */
  double damping() const { return damping_; }
  /** One per column, in units of the column's whole range. */
  const std::vector<double>& lengthscales() const { return lengthscales_; }

  /** Positive, in units of the column's whole range; tabulates the column's factors anew. */
  void set_lengthscale(std::size_t column, double lengthscale);

  /** What the column adds to the product for two of its levels. */
  double factor(std::size_t column, std::uint32_t a, std::uint32_t b) const;

  /** Both points have a level of every column. */
  double operator()(const GridPoint& a, const GridPoint& b) const;

  /** The kernel of one point with each of many. @param out points.size() numbers */
  void row(const GridPoint& point, const GridPoints& points, std::span<float> out) const;

 private:
  void tabulate(std::size_t column);
  double computed_factor(std::size_t column, std::uint32_t a, std::uint32_t b) const;

  std::vector<GridColumn> columns_;
  Correlation correlation_;
  double damping_;
  std::vector<double> lengthscales_;
  std::vector<std::vector<double>> tables_;  ///< levels x levels; empty for columns of many levels
};

}  // namespace kernelscape
