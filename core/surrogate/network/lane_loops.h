#pragma once

#include <cstddef>

namespace kernelscape {

/**
 * What networks do beside multiplying matrices. A matrix has rows of block_rows numbers, one for each row of
 * the block, and starts at a cache line; a number depends on those of its own column alone, but for the sums
 * over the block.
 */

/** Every row of a matrix becomes its bias. */
void fill_with_biases(const float* biases, std::size_t features, float* matrix);
/** sums[feature] += the sum of that row. */
void add_row_sums(const float* matrix, std::size_t features, float* sums);

/** to += from, for `features` rows. */
void add_matrix(const float* from, std::size_t features, float* to);
/** matrix *= factors, number by number, for `features` rows. */
void multiply_matrix(const float* factors, std::size_t features, float* matrix);
/** to += from, every row of it times the same factors. */
void add_scaled_columns(const float* from, const float* factors, std::size_t features, float* to);

/** max(0, number). */
void rectify(std::size_t features, float* matrix);
/** The gradient becomes 0 where what rectify() left is 0. */
void rectify_gradient(const float* rectified, std::size_t features, float* gradient);

/** values[row] += the sum over features of weight times number: a linear layer of one output. */
void add_weighted_rows(const float* matrix, const float* weights, std::size_t features, float* values);
/** Of the same: weight_gradient += and matrix_gradient = . */
void weighted_rows_gradient(const float* matrix, const float* weights, const float* value_gradient,
                            std::size_t features, float* weight_gradient, float* matrix_gradient);

/** Parameters of a layer that gives every column mean 0 and deviation 1, then scales and shifts it. */
struct NormParameters {
  std::size_t features = 0;
  const float* scales = nullptr;
  const float* shifts = nullptr;
};

/**
 * @param normalized before scales and shifts, for the gradient
 * @param inverse_deviations of the columns, for the gradient
 * @param output may be the input
 */
void normalize(const NormParameters& norm, const float* input, float* normalized, float* inverse_deviations,
               float* output);
/** Adds to the gradients of scales, shifts and input; `input_gradient` is not `output_gradient`. */
void normalize_gradient(const NormParameters& norm, const float* normalized, const float* inverse_deviations,
                        const float* output_gradient, float* scale_gradient, float* shift_gradient,
                        float* input_gradient);

}  // namespace kernelscape
