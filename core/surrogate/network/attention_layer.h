#pragma once

#include "core/surrogate/network/attention.h"
#include "core/surrogate/network/dropout.h"
#include "core/surrogate/network/feed_forward.h"
#include "core/surrogate/network/float_buffer.h"
#include "core/surrogate/network/linear.h"

namespace kernelscape::surrogate {

/**
 * An encoder layer that normalizes the inputs of its halves instead of their outputs: such layers learn
 * without a warm-up of the learning rate (Xiong et al. 2020). Dropout is as in PyTorch, except that the
 * weights of attention have none.
 */
struct AttentionLayer {
  std::size_t heads = 0;
  Norm attention_norm;
  Linear project;  ///< projection to queries, keys and values
  Linear merge;    ///< projection of the heads' outputs
  Norm feed_forward_norm;
  FeedForward feed_forward;

  std::size_t width() const { return merge.outputs; }  ///< numbers of a position
};

/**
 * Intermediate results of one layer's pass over a block that the gradient needs. Without a gradient, all
 * layers share one trace.
 */
class AttentionTrace {
 public:
  AttentionTrace(const AttentionLayer& layer, std::size_t positions, bool kept);

 private:
  friend class AttentionPass;

  /** The normalization in front of a half. */
  struct NormedInput {
    NormedInput(std::size_t positions, std::size_t width, bool kept)
        : normalized(positions, width, !kept),
          inverse_deviations(positions, 1, !kept),
          output(positions, width, !kept) {}

    NormTrace at(std::size_t position) { return {normalized.at(position), inverse_deviations.at(position)}; }

    PositionMatrices normalized;
    PositionMatrices inverse_deviations;
    PositionMatrices output;
  };

  bool kept_;
  NormedInput attention_input_;
  PositionMatrices projected_;
  FloatBuffer weights_;
  PositionMatrices attended_;
  PositionMatrices attention_factors_;  ///< dropout factors
  NormedInput feed_forward_input_;
  FeedForwardTrace feed_forward_;
  PositionMatrices feed_forward_factors_;  ///< dropout factors
};

/** Passes over a block's sequences, with the buffers for them. */
class AttentionPass {
 public:
  /** @param layer any layer of the network: all have one size */
  AttentionPass(const AttentionLayer& layer, std::size_t positions, bool has_gradient);

  /**
   * Applies a layer. @param present as in attend() @param states inputs of each position, replaced by the
   * layer's outputs
   */
  void forward(const AttentionLayer& layer, const float* parameters, std::size_t positions,
               const float* present, const Dropout& dropout, AttentionTrace& trace, PositionMatrices& states);

  /**
   * Adds a layer's gradient. @param state_gradient gradient by the layer's outputs, replaced by that by its
   * inputs
   */
  void backward(const AttentionLayer& layer, const float* parameters, std::size_t positions,
                const Dropout& dropout, AttentionTrace& trace, PositionMatrices& state_gradient,
                float* gradient);

  /** The change that a half adds to a position's state. */
 private:
  FloatBuffer change_;
  FloatBuffer input_gradient_;
  FloatBuffer hidden_gradient_;
  PositionMatrices attended_gradient_;
  PositionMatrices projected_gradient_;
};

}  // namespace kernelscape::surrogate
