#pragma once

#include <cstddef>

namespace kernelscape {

/** A linear layer, and where its parameters stand: weights row-major by output, then biases. */
struct Linear {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t weights = 0;  ///< of the first of them among the network's parameters
  std::size_t biases = 0;
};

/** Features of a block, of which a layer reads. */
struct LinearInput {
  const float* data = nullptr;
  bool by_row = false;     ///< a row's features are neighbours, as in what a network is given
  std::size_t stride = 0;  ///< from one row to the next; of features by block_rows: none
};

/** output = weights input + biases: as many rows of block_rows numbers as there are outputs. */
void apply_linear(const Linear& layer, const float* parameters, const LinearInput& input, float* output);

/** Adds the derivatives by weights and biases to `gradient`, which is of all parameters. */
void add_linear_gradient(const Linear& layer, const LinearInput& input, const float* output_gradient,
                         float* gradient);

/** Derivatives by the inputs. */
void linear_input_gradient(const Linear& layer, const float* parameters, const float* output_gradient,
                           float* input_gradient);

/** Where the parameters of a layer that normalizes stand. */
struct Norm {
  std::size_t features = 0;
  std::size_t scales = 0;
  std::size_t shifts = 0;
};

/** What the gradient of such a layer needs of its pass over one position. */
struct NormTrace {
  float* normalized = nullptr;
  float* inverse_deviations = nullptr;
};

/** output = the layer's norm of the input, of one position of a block. */
void apply_norm(const Norm& norm, const float* parameters, const float* input, const NormTrace& trace,
                float* output);
/** Adds to the parameters' gradient and to the input's. */
void add_norm_gradient(const Norm& norm, const float* parameters, const NormTrace& trace,
                       const float* output_gradient, float* gradient, float* input_gradient);

}  // namespace kernelscape
