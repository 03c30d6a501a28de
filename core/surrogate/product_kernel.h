#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/grid.h"

namespace kernelscape::surrogate {

/** Many points of one grid, stored by column. */
class GridPoints {
 public:
  explicit GridPoints(std::size_t columns) : levels_(columns) {}

  void add(const base::GridPoint& point);                 ///< adds a point with one level per column
  void clear();                                           ///< removes all points; the columns remain
  std::size_t size() const { return size_; }              ///< number of points
  std::size_t columns() const { return levels_.size(); }  ///< number of levels of a point
  base::GridPoint at(std::size_t number) const;  ///< returns a point by its number, in the order of insertion
  /** Returns the levels of a column, by the points' numbers. */
  std::span<const std::uint32_t> levels(std::size_t column) const { return levels_[column]; }

 private:
  std::size_t size_ = 0;
  std::vector<std::vector<std::uint32_t>> levels_;
};

/** The correlation g as a function of the distance r in lengthscales. */
enum class Correlation : std::uint8_t {
  Matern32,    ///< (1 + sqrt(3) r) exp(-sqrt(3) r)
  Exponential  ///< exp(-r)
};

/** The parameters of a kernel except its lengthscales. */
struct KernelShape {
  Correlation correlation = Correlation::Exponential;
  double damping = 0.2;  ///< share of a column's factor that is independent of the distance
};

/** Returns g at r >= 0. */
double correlation_at(Correlation correlation, double r);

/**
 * The damped product kernel on a grid: k(x, x') = prod_d [damping + (1 - damping) g(|u_d - u'_d| / l_d)]. No
 * single column can make two points unrelated. k(x, x) = 1.
 */
class ProductKernel {
 public:
  /**
   * @param damping share of a column's factor that is independent of the distance, in [0, 1]
   * @param lengthscales one per column, positive, in units of the column's whole range
   */
  ProductKernel(std::vector<base::GridColumn> columns, Correlation correlation, double damping,
                std::vector<double> lengthscales);

  /** Returns the columns of the grid, in the order of the lengthscales. */
  const std::vector<base::GridColumn>& columns() const { return columns_; }
  /** Returns the correlation that all columns use. */
  Correlation correlation() const { return correlation_; }
  /** Returns the share of a column's factor that is independent of the distance, in [0, 1]. */
  double damping() const { return damping_; }
  /** Returns the lengthscales, one per column, in units of the column's whole range. */
  const std::vector<double>& lengthscales() const { return lengthscales_; }

  /**
   * Sets a positive lengthscale in units of the column's whole range, and recomputes the table of the
   * column's factors.
   */
  void set_lengthscale(std::size_t column, double lengthscale);

  /** Returns the column's factor of the product for two of its levels. */
  double factor(std::size_t column, std::uint32_t a, std::uint32_t b) const;

  /** Returns the kernel of two points, which have a level of every column. */
  double operator()(const base::GridPoint& a, const base::GridPoint& b) const;

  /** Computes the kernel of one point with each of many. @param out points.size() numbers */
  void row(const base::GridPoint& point, const GridPoints& points, std::span<float> out) const;

 private:
  void tabulate(std::size_t column);
  double computed_factor(std::size_t column, std::uint32_t a, std::uint32_t b) const;

  std::vector<base::GridColumn> columns_;
  Correlation correlation_;
  double damping_;
  std::vector<double> lengthscales_;
  std::vector<std::vector<double>> tables_;  ///< levels x levels; empty for columns of many levels
};

}  // namespace kernelscape::surrogate
