#pragma once

#include <cstddef>

namespace kernelscape::surrogate {

/** A linear layer, and the positions of its parameters: weights row-major by output, then biases. */
struct Linear {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t weights = 0;  ///< position of the first weight among the network's parameters
  std::size_t biases = 0;
};

/** The input features of a layer, for a block. */
struct LinearInput {
  const float* data = nullptr;
  bool by_row = false;  ///< the features of a row are adjacent, as in the network's input
  /** Distance from one row to the next; not used if features are stored by block_rows. */
  std::size_t stride = 0;
};

/** Computes output = weights input + biases, with a row of block_rows numbers for each output. */
void apply_linear(const Linear& layer, const float* parameters, const LinearInput& input, float* output);

/** Adds the derivatives by weights and biases to `gradient`, which has all parameters. */
void add_linear_gradient(const Linear& layer, const LinearInput& input, const float* output_gradient,
                         float* gradient);

/** Computes the derivatives by the inputs. */
void linear_input_gradient(const Linear& layer, const float* parameters, const float* output_gradient,
                           float* input_gradient);

/** The positions of the parameters of a normalization layer. */
struct Norm {
  std::size_t features = 0;
  std::size_t scales = 0;
  std::size_t shifts = 0;
};

/** Intermediate results of a normalization at one position that the gradient needs. */
struct NormTrace {
  float* normalized = nullptr;
  float* inverse_deviations = nullptr;
};

/** Normalizes the input at one position of a block into output. */
void apply_norm(const Norm& norm, const float* parameters, const float* input, const NormTrace& trace,
                float* output);
/** Adds to the gradients of the parameters and of the input. */
void add_norm_gradient(const Norm& norm, const float* parameters, const NormTrace& trace,
                       const float* output_gradient, float* gradient, float* input_gradient);

}  // namespace kernelscape::surrogate
