#pragma once

#include <cstddef>

namespace kernelscape::surrogate {

class PositionMatrices;

/** Sizes of multi-head attention within the sequences of a block's rows. */
struct AttentionSize {
  std::size_t positions = 0;
  std::size_t heads = 0;
  std::size_t head_width = 0;

  std::size_t width() const { return heads * head_width; }  ///< numbers of a position
  /** Returns how many numbers attend() keeps for the gradient. */
  std::size_t weights() const;
};

/**
 * Computes for each position the sum of the values of all positions, weighted by the softmax of query key /
 * sqrt(head_width).
 * @param projected for each position the features of queries, then keys, then values
 * @param present 1 or 0 by position and row of the block: whether that row's sequence has the position, which
 *     has weight 0 if not; each row has at least one
 * @param weights AttentionSize::weights() numbers, for the gradient; null: not kept
 */
void attend(const AttentionSize& size, const PositionMatrices& projected, const float* present,
            float* weights, PositionMatrices& attended);

/** Computes the gradient of attend(). @param projected_gradient is overwritten */
void attend_gradient(const AttentionSize& size, const PositionMatrices& projected, const float* weights,
                     const PositionMatrices& attended_gradient, PositionMatrices& projected_gradient);

}  // namespace kernelscape::surrogate
