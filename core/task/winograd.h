#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace kernelscape::task {

/** An exact fraction. */
using Rational = boost::rational<std::int64_t>;
/** Rows of a matrix of exact fractions. */
using RationalMatrix = std::vector<std::vector<Rational>>;

/**
 * The matrices of Winograd's algorithm in one dimension, F(tile, kernel): `tile` outputs of a correlation
 * with `kernel` taps are output * ((weight * taps) . (input * data)), where . multiplies element by element
 * and data has tile + kernel - 1 elements. In two dimensions each matrix is applied along rows and columns.
 */
struct WinogradMatrices {
  RationalMatrix input;   ///< (tile + kernel - 1) x (tile + kernel - 1), named B^T in the literature
  RationalMatrix weight;  ///< (tile + kernel - 1) x kernel, named G
  RationalMatrix output;  ///< tile x (tile + kernel - 1), named A^T
};

/**
 * Derives the matrices of F(tile, kernel) by the modified Toom-Cook method: a product of polynomials is
 * interpolated at tile + kernel - 2 distinct points and at infinity, and the transposed algorithm computes
 * the correlation.
 */
WinogradMatrices winograd_matrices(int tile, int kernel, std::span<const Rational> points);

/** Rows and columns of the kernels that winograd_transform() supports. */
inline constexpr int winograd_kernel = 3;

/** Returns the output tiles that have kernels: 2, 4 and 6 rows and columns. */
std::span<const int> winograd_tiles();

/**
 * Returns the matrices of F(tile, 3), at 0, infinity and points of both signs, which let the transforms share
 * sums: 1 for tiles of 2; 3/2 and 2/3 for 4; 1, 2 and 1/2 for 6. Among fractions of numbers up to 4 these
 * have the smallest winograd_error_bound(). Points that are reciprocals of each other are what Alam,
 * Anderson, Barabasz and Gregg found best (Winograd Convolution for Deep Neural Networks: Efficient Point
 * Selection, ACM TECS 21(6), 2022).
 */
const WinogradMatrices& winograd_transform(int tile);

/**
 * Returns the bound of the error of one output of F(tile x tile, 3 x 3) in f32, for inputs and weights in
 * [-1, 1): the tolerance of its kernels.
 *
 * The bound has the form of the error bound of Barabasz, Anderson, Soodhalter and Gregg, Error Analysis and
 * Improving the Accuracy of Winograd Convolution for Deep Neural Networks (ACM TOMS 46(4), 2020): the
 * roundings of the two transforms, of the sum over the channels and of the output transform, times the norms
 * of the rows of the matrices. It replaces the number of roundings n by its square root, and sums by root
 * sums of squares, which hold with a probability that is practically 1 if roundings are independent and
 * inputs have mean zero (Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, SISC
 * 41(5), 2019). Checks use such inputs.
 */
double winograd_error_bound(int tile, std::int64_t channels);

/**
 * Returns kernels of 3x3 transformed for output tiles: each becomes (tile + 2) x (tile + 2) elements,
 * computed in double precision.
 * @param kernels row-major, the last two dimensions of 3x3
 */
std::vector<double> winograd_weights(int tile, std::span<const double> kernels);

}  // namespace kernelscape::task
