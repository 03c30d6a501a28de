#include "core/surrogate/product_kernel.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace kernelscape::surrogate {
namespace {

/// A table with more levels would not fit in the cache.
constexpr std::size_t max_tabulated_levels = 128;

}  // namespace

void GridPoints::add(const base::GridPoint& point) {
  for (std::size_t column = 0; column < levels_.size(); ++column) levels_[column].push_back(point[column]);
  ++size_;
}

void GridPoints::clear() {
  for (std::vector<std::uint32_t>& levels : levels_) levels.clear();
  size_ = 0;
}

base::GridPoint GridPoints::at(std::size_t number) const {
  base::GridPoint point;
  point.reserve(levels_.size());
  for (const std::vector<std::uint32_t>& levels : levels_) point.push_back(levels[number]);
  return point;
}

double correlation_at(Correlation correlation, double r) {
  if (correlation == Correlation::Exponential) return std::exp(-r);
  const double scaled = std::numbers::sqrt3 * r;
  return (1 + scaled) * std::exp(-scaled);
}

ProductKernel::ProductKernel(std::vector<base::GridColumn> columns, Correlation correlation, double damping,
                             std::vector<double> lengthscales)
    : columns_(std::move(columns)),
      correlation_(correlation),
      damping_(damping),
      lengthscales_(std::move(lengthscales)),
      tables_(columns_.size()) {
  for (std::size_t column = 0; column < columns_.size(); ++column) tabulate(column);
}

void ProductKernel::set_lengthscale(std::size_t column, double lengthscale) {
  lengthscales_[column] = lengthscale;
  tabulate(column);
}

void ProductKernel::tabulate(std::size_t column) {
  const std::size_t count = columns_[column].positions.size();
  if (count > max_tabulated_levels) return;
  std::vector<double>& table = tables_[column];
  table.resize(count * count);
  for (std::uint32_t a = 0; a < count; ++a) {
    for (std::uint32_t b = 0; b <= a; ++b)
      table[a * count + b] = table[b * count + a] = computed_factor(column, a, b);
  }
}

double ProductKernel::computed_factor(std::size_t column, std::uint32_t a, std::uint32_t b) const {
  const base::GridColumn& grid = columns_[column];
  const double apart = a == b ? 0 : 1;
  const double distance = grid.ordered ? std::abs(grid.positions[a] - grid.positions[b]) : apart;
  return damping_ + (1 - damping_) * correlation_at(correlation_, distance / lengthscales_[column]);
}

double ProductKernel::factor(std::size_t column, std::uint32_t a, std::uint32_t b) const {
  const std::vector<double>& table = tables_[column];
  return table.empty() ? computed_factor(column, a, b) : table[a * columns_[column].positions.size() + b];
}

double ProductKernel::operator()(const base::GridPoint& a, const base::GridPoint& b) const {
  double product = 1;
  for (std::size_t column = 0; column < columns_.size(); ++column)
    product *= factor(column, a[column], b[column]);
  return product;
}

void ProductKernel::row(const base::GridPoint& point, const GridPoints& points, std::span<float> out) const {
  std::ranges::fill(out, 1.0F);
  std::vector<float> factors;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const auto count = static_cast<std::uint32_t>(columns_[column].positions.size());
    factors.resize(count);
    for (std::uint32_t level = 0; level < count; ++level)
      factors[level] = static_cast<float>(factor(column, point[column], level));
    const std::span<const std::uint32_t> levels = points.levels(column);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] *= factors[levels[i]];
  }
}

}  // namespace kernelscape::surrogate
