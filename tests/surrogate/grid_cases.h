#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/product_kernel.h"

namespace kernelscape::testing {

/** Numbers of a test's own loops, as Random takes and gives them. */
inline std::size_t drawn_below(base::Random& random, std::size_t bound) {
  return static_cast<std::size_t>(random.below(bound));
}

/** Ascending positions from 0 to 1, or one position of 0; some columns have no order. */
inline base::GridColumn random_column(base::Random& random, std::size_t levels) {
  base::GridColumn column{.positions = {0}, .ordered = random.chance(0.8)};
  while (column.positions.size() + 1 < levels) column.positions.push_back(random.uniform());
  if (levels > 1) column.positions.push_back(1);
  std::ranges::sort(column.positions);
  return column;
}

inline std::vector<base::GridColumn> random_columns(base::Random& random, std::size_t count,
                                                    std::size_t max_levels) {
  std::vector<base::GridColumn> columns;
  for (std::size_t column = 0; column < count; ++column)
    columns.push_back(random_column(random, 1 + drawn_below(random, max_levels)));
  return columns;
}

inline base::GridPoint random_point(base::Random& random, const std::vector<base::GridColumn>& columns) {
  base::GridPoint point;
  for (const base::GridColumn& column : columns)
    point.push_back(static_cast<std::uint32_t>(random.below(column.positions.size())));
  return point;
}

/** Some of them may be equal. */
inline std::vector<base::GridPoint> random_points(base::Random& random,
                                                  const std::vector<base::GridColumn>& columns,
                                                  std::size_t count) {
  std::vector<base::GridPoint> points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(random_point(random, columns));
  return points;
}

inline std::vector<double> random_values(base::Random& random, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(3 + 2 * random.normal());
  return values;
}

/** Between the bounds of the fit, evenly on a log axis. */
inline std::vector<double> random_lengthscales(base::Random& random, std::size_t count) {
  std::vector<double> lengthscales;
  for (std::size_t i = 0; i < count; ++i)
    lengthscales.push_back(0.02 * std::exp(std::log(50 / 0.02) * random.uniform()));
  return lengthscales;
}

inline surrogate::ProductKernel random_kernel(base::Random& random,
                                              const std::vector<base::GridColumn>& columns) {
  const surrogate::Correlation correlation =
      random.chance(0.5) ? surrogate::Correlation::Matern32 : surrogate::Correlation::Exponential;
  return {columns, correlation, random.chance(0.2) ? 0 : 0.5 * random.uniform(),
          random_lengthscales(random, columns.size())};
}

inline surrogate::GridPoints together(const std::vector<base::GridColumn>& columns,
                                      const std::vector<base::GridPoint>& points) {
  surrogate::GridPoints all(columns.size());
  for (const base::GridPoint& point : points) all.add(point);
  return all;
}

/** Whether two numbers agree to a share of `unit`, or of the greater of them. */
inline bool near(double a, double b, double tolerance, double unit = 1) {
  return std::abs(a - b) <= tolerance * std::max({unit, std::abs(a), std::abs(b)});
}

}  // namespace kernelscape::testing
