#pragma once

#include <cstddef>

namespace kernelscape::surrogate {

/**
 * Operations of networks except matrix multiplication. A matrix has rows of block_rows numbers, one for each
 * row of the block, and starts at a cache line. A number depends only on those of its own column, except in
 * sums over the block.
 */

/** Sets every row of a matrix to its bias. */
void fill_with_biases(const float* biases, std::size_t features, float* matrix);
/** Adds the sum of each row: sums[feature] += sum of row `feature`. */
void add_row_sums(const float* matrix, std::size_t features, float* sums);

/** Adds a matrix of `features` rows: to += from. */
void add_matrix(const float* from, std::size_t features, float* to);
/** Multiplies element by element: matrix *= factors, for `features` rows. */
void multiply_matrix(const float* factors, std::size_t features, float* matrix);
/** Adds a matrix whose every row is multiplied by the same factors: to += from * factors. */
void add_scaled_columns(const float* from, const float* factors, std::size_t features, float* to);

/** Sets every number to max(0, number). */
void rectify(std::size_t features, float* matrix);
/** Sets the gradient to 0 where the output of rectify() is 0. */
void rectify_gradient(const float* rectified, std::size_t features, float* gradient);

/** Applies a linear layer of one output: values[row] += the sum over features of weight times number. */
void add_weighted_rows(const float* matrix, const float* weights, std::size_t features, float* values);
/** Computes the gradient of add_weighted_rows(): adds to weight_gradient, overwrites matrix_gradient. */
void weighted_rows_gradient(const float* matrix, const float* weights, const float* value_gradient,
                            std::size_t features, float* weight_gradient, float* matrix_gradient);

/** Parameters of a layer that scales every column to mean 0 and deviation 1, then scales and shifts it. */
struct NormParameters {
  std::size_t features = 0;
  const float* scales = nullptr;
  const float* shifts = nullptr;
};

/**
 * Normalizes the columns of a matrix.
 * @param normalized before scales and shifts, for the gradient
 * @param inverse_deviations of the columns, for the gradient
 * @param output may be the input
 */
void normalize(const NormParameters& norm, const float* input, float* normalized, float* inverse_deviations,
               float* output);
/** Adds to the gradients of scales, shifts and input. `input_gradient` must not be `output_gradient`. */
void normalize_gradient(const NormParameters& norm, const float* normalized, const float* inverse_deviations,
                        const float* output_gradient, float* scale_gradient, float* shift_gradient,
                        float* input_gradient);

}  // namespace kernelscape::surrogate
