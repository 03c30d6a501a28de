#include "core/task/winograd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

namespace kernelscape::task {
namespace {

constexpr std::array<int, 3> supported_tiles{2, 4, 6};

/** Returns coefficients, lowest power first, of the product of (x - point) over all points except one. */
std::vector<Rational> product_without(std::span<const Rational> points, std::size_t except) {
  std::vector<Rational> polynomial{Rational(1)};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == except) continue;
    polynomial.insert(polynomial.begin(), Rational(0));
    for (std::size_t power = 0; power + 1 < polynomial.size(); ++power)
      polynomial[power] -= points[i] * polynomial[power + 1];
  }
  return polynomial;
}

Rational power(const Rational& base, std::size_t exponent) {
  Rational result(1);
  for (std::size_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

double square_sum(const std::vector<Rational>& row) {
  double sum = 0;
  for (const Rational& value : row) sum += std::pow(boost::rational_cast<double>(value), 2);
  return sum;
}

/** Returns the largest number of roundings in the sums of a row: its elements that are not zero. */
double max_terms(const RationalMatrix& matrix) {
  std::ptrdiff_t most = 0;
  for (const std::vector<Rational>& row : matrix)
    most = std::max(most, std::ssize(row) - std::ranges::count(row, Rational(0)));
  return static_cast<double>(most);
}

/**
 * Returns the factor by which independent relative errors of the products grow in an output, in one
 * dimension: the largest root sum of squares over the rows of the output's matrix.
 */
double amplification(const WinogradMatrices& matrices) {
  double largest = 0;
  for (const std::vector<Rational>& row : matrices.output) {
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
      sum += std::pow(boost::rational_cast<double>(row[i]), 2) * square_sum(matrices.input[i]) *
             square_sum(matrices.weight[i]);
    largest = std::max(largest, sum);
  }
  return std::sqrt(largest);
}

/** Returns the matrices at 0, infinity, and these points with both signs. */
WinogradMatrices matrices_of(int tile, std::initializer_list<Rational> magnitudes) {
  std::vector<Rational> points{Rational(0)};
  for (const Rational& magnitude : magnitudes) points.insert(points.end(), {magnitude, -magnitude});
  return winograd_matrices(tile, winograd_kernel, points);
}

}  // namespace

WinogradMatrices winograd_matrices(int tile, int kernel, std::span<const Rational> points) {
  const auto outputs = static_cast<std::size_t>(tile);
  const auto taps = static_cast<std::size_t>(kernel);
  const std::size_t size = outputs + taps - 1;
  if (points.size() + 1 != size) throw std::logic_error("F(m, r) has m + r - 2 points beside infinity");
  WinogradMatrices matrices;
  matrices.output.assign(outputs, std::vector<Rational>(size));
  for (std::size_t i = 0; i + 1 < size; ++i) {
    std::vector<Rational> interpolation = product_without(points, i);
    Rational scale(1);
    for (std::size_t other = 0; other < points.size(); ++other)
      if (other != i) scale *= points[i] - points[other];
    // A positive scale keeps the signs of the weights.
    if (scale < 0) {
      scale = -scale;
      for (Rational& value : interpolation) value = -value;
    }
    interpolation.resize(size);
    matrices.input.push_back(std::move(interpolation));
    std::vector<Rational>& weight = matrices.weight.emplace_back();
    for (std::size_t tap = 0; tap < taps; ++tap) weight.push_back(power(points[i], tap) / scale);
    for (std::size_t row = 0; row < outputs; ++row) matrices.output[row][i] = power(points[i], row);
  }
  matrices.input.push_back(product_without(points, points.size()));
  matrices.weight.emplace_back(taps).back() = Rational(1);
  matrices.output.back().back() = Rational(1);
  return matrices;
}

std::span<const int> winograd_tiles() { return supported_tiles; }

const WinogradMatrices& winograd_transform(int tile) {
  static const std::array<WinogradMatrices, 3> all{matrices_of(2, {{1, 1}}), matrices_of(4, {{3, 2}, {2, 3}}),
                                                   matrices_of(6, {{1, 1}, {2, 1}, {1, 2}})};
  const auto found = std::ranges::find(supported_tiles, tile);
  if (found == supported_tiles.end()) throw std::logic_error("there is no Winograd transform for this tile");
  return all[static_cast<std::size_t>(found - supported_tiles.begin())];
}

double winograd_error_bound(int tile, std::int64_t channels) {
  constexpr double unit_roundoff = 0x1p-24;
  constexpr double deviations =
      4;  // of a normal distribution; inputs are below 1, by a factor sqrt(3) on average
  const WinogradMatrices& matrices = winograd_transform(tile);
  const double terms = static_cast<double>(channels);
  const double roundings = terms + 2 * max_terms(matrices.input) + 2 * max_terms(matrices.weight) +
                           2 * max_terms(matrices.output) + 1;
  return deviations * unit_roundoff * std::sqrt(roundings * terms) * std::pow(amplification(matrices), 2);
}

std::vector<double> winograd_weights(int tile, std::span<const double> kernels) {
  constexpr auto taps = static_cast<std::size_t>(winograd_kernel);
  const RationalMatrix& matrix = winograd_transform(tile).weight;
  const std::size_t size = matrix.size();
  std::vector<std::vector<double>> rows;
  for (const std::vector<Rational>& row : matrix) {
    std::vector<double>& values = rows.emplace_back();
    for (const Rational& value : row) values.push_back(boost::rational_cast<double>(value));
  }
  std::vector<double> transformed;
  transformed.reserve(kernels.size() / (taps * taps) * size * size);
  for (std::size_t first = 0; first + taps * taps <= kernels.size(); first += taps * taps)
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t column = 0; column < size; ++column) {
        double sum = 0;
        for (std::size_t y = 0; y < taps; ++y)
          for (std::size_t x = 0; x < taps; ++x)
            sum += rows[row][y] * kernels[first + y * taps + x] * rows[column][x];
        transformed.push_back(sum);
      }
  return transformed;
}

}  // namespace kernelscape::task
