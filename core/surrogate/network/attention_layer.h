#pragma once

#include "core/surrogate/network/attention.h"
#include "core/surrogate/network/dropout.h"
#include "core/surrogate/network/feed_forward.h"
#include "core/surrogate/network/float_buffer.h"
#include "core/surrogate/network/linear.h"

namespace kernelscape {

/**
 * An encoder layer that normalizes what its halves read, not what they leave: such layers learn without a
 * rate that warms up (Xiong et al. 2020). Dropout as PyTorch's, but for the weights of attention.
 */
struct AttentionLayer {
  std::size_t heads = 0;
  Norm attention_norm;
  Linear project;  ///< to queries, keys and values
  Linear merge;    ///< what the heads read
  Norm feed_forward_norm;
  FeedForward feed_forward;

  std::size_t width() const { return merge.outputs; }  ///< numbers of a position
};

/** What one layer's pass over a block leaves for the gradient; where there is none, all layers share one. */
class AttentionTrace {
 public:
  AttentionTrace(const AttentionLayer& layer, std::size_t positions, bool kept);

 private:
  friend class AttentionPass;

  /** Of a normalization in front of a half. */
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
  PositionMatrices attention_factors_;  ///< of dropout
  NormedInput feed_forward_input_;
  FeedForwardTrace feed_forward_;
  PositionMatrices feed_forward_factors_;  ///< of dropout
};

/** Passes over a block's sequences, with the room that they need. */
class AttentionPass {
 public:
  /** @param layer any of them: they are of one size */
  AttentionPass(const AttentionLayer& layer, std::size_t positions, bool has_gradient);

  /** @param present as attend() takes it @param states of each position; become those that the layer leaves
   */
  void forward(const AttentionLayer& layer, const float* parameters, std::size_t positions,
               const float* present, const Dropout& dropout, AttentionTrace& trace, PositionMatrices& states);

  /** @param state_gradient of what the layer left; becomes that of what it was given */
  void backward(const AttentionLayer& layer, const float* parameters, std::size_t positions,
                const Dropout& dropout, AttentionTrace& trace, PositionMatrices& state_gradient,
                float* gradient);

 private:
  FloatBuffer change_;  ///< what a half adds to a position's state
  FloatBuffer input_gradient_;
  FloatBuffer hidden_gradient_;
  PositionMatrices attended_gradient_;
  PositionMatrices projected_gradient_;
};

}  // namespace kernelscape
