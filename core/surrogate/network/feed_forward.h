#pragma once

#include "core/surrogate/network/dropout.h"
#include "core/surrogate/network/float_buffer.h"
#include "core/surrogate/network/linear.h"

namespace kernelscape::surrogate {

/** The second half of an encoder layer: rectified linear units between two linear layers. */
struct FeedForward {
  Linear up;
  Linear down;
};

/** Intermediate results of a pass over the positions of a block that the gradient needs. */
struct FeedForwardTrace {
  /** @param kept whether a gradient will be computed */
  FeedForwardTrace(const FeedForward& layer, std::size_t positions, bool kept)
      : hidden(positions, layer.up.outputs, !kept),
        factors(kept ? positions : 1, kept ? layer.up.outputs : 0) {}

  PositionMatrices hidden;   ///< rectified, after dropout
  PositionMatrices factors;  ///< dropout factors
};

/** Applies the layer to one position. */
void apply_feed_forward(const FeedForward& layer, const float* parameters, const float* input,
                        std::size_t position, const Dropout& dropout, FeedForwardTrace& trace, float* output);

/**
 * Adds the layer's gradient at one position.
 * @param input, output_gradient of one position
 * @param hidden_gradient buffer for up.outputs rows
 * @param input_gradient is overwritten
 */
void add_feed_forward_gradient(const FeedForward& layer, const float* parameters, const float* input,
                               std::size_t position, const Dropout& dropout, const FeedForwardTrace& trace,
                               const float* output_gradient, float* hidden_gradient, float* gradient,
                               float* input_gradient);

}  // namespace kernelscape::surrogate
