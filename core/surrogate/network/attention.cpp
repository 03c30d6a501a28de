#include "core/surrogate/network/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/surrogate/network/lanes.h"

namespace kernelscape::surrogate {
namespace {

/** Computes exp of numbers of at most 0, within 2 units in the last place (Cephes' expf); 1e-38 below -87. */
KERNELSCAPE_INLINE void exponentiate(Lanes& lanes) {
  using Bits [[gnu::vector_size(64)]] = std::uint32_t;
  constexpr float rounding = 12582912;  // 1.5 * 2^23: adding it rounds to an integer
  const Lanes x = lanes > -87.0F ? lanes : Lanes{} - 87.0F;
  const Lanes shifted = x * 1.44269504088896341F + rounding;
  const Lanes power = shifted - rounding;
  const Lanes rest = x - power * 0.693359375F + power * 2.12194440e-4F;
  Lanes sum = rest * 1.9875691500e-4F + 1.3981999507e-3F;
  sum = sum * rest + 8.3334519073e-3F;
  sum = sum * rest + 4.1665795894e-2F;
  sum = sum * rest + 1.6666665459e-1F;
  sum = sum * rest + 5.0000001201e-1F;
  sum = sum * rest * rest + rest + 1.0F;
  lanes = sum * reinterpret_cast<Lanes>((reinterpret_cast<Bits>(shifted) << 23) + (127U << 23));
}

/**
 * The matrices of one head for sixteen rows of the block; the features of a position are block_rows apart.
 */
struct HeadPlaces {
  const float* queries;
  const float* keys;
  const float* values;
  std::size_t stride;  ///< distance from one position to the next
};

KERNELSCAPE_INLINE HeadPlaces places_of(const AttentionSize& size, const PositionMatrices& projected,
                                        std::size_t head, std::size_t row) {
  const float* first = projected.at(0) + head * size.head_width * block_rows + row;
  const std::size_t width = size.width() * block_rows;
  return {first, first + width, first + 2 * width, projected.stride()};
}

/** Computes the dot product of two positions' features. */
KERNELSCAPE_INLINE void dot(const float* left, const float* right, std::size_t features, Lanes& sum) {
  sum = Lanes{};
  for (std::size_t feature = 0; feature < features; ++feature)
    sum += lanes_at(left + feature * block_rows) * lanes_at(right + feature * block_rows);
}

/**
 * Computes the weights of all positions for one position. @param weights lane_count numbers for each position
 */
KERNELSCAPE_INLINE void softmax_of_scores(const AttentionSize& size, const HeadPlaces& head,
                                          const float* query, const float* present, float* weights) {
  constexpr float lowest = -3e38F;
  const float scale = 1 / std::sqrt(static_cast<float>(size.head_width));
  Lanes most = Lanes{} + lowest;
  for (std::size_t j = 0; j < size.positions; ++j) {
    Lanes score;
    dot(query, head.keys + j * head.stride, size.head_width, score);
    score = lanes_at(present + j * block_rows) > 0 ? score * scale : Lanes{} + lowest;
    most = score > most ? score : most;
    lanes_at(weights + j * lane_count) = score;
  }
  Lanes sum{};
  for (std::size_t j = 0; j < size.positions; ++j) {
    Lanes weight = lanes_at(weights + j * lane_count) - most;
    exponentiate(weight);
    weight *= lanes_at(present + j * block_rows);
    sum += weight;
    lanes_at(weights + j * lane_count) = weight;
  }
  const Lanes inverse = 1.0F / sum;
  for (std::size_t j = 0; j < size.positions; ++j) lanes_at(weights + j * lane_count) *= inverse;
}

/** Computes result[feature] = the sum over positions of weight times the feature, for `count` features. */
template <std::size_t count>
KERNELSCAPE_INLINE void weigh_features(std::size_t positions, const float* weights, const float* features,
                                       std::size_t stride, float* result) {
  Lanes sums[count] = {};
  for (std::size_t j = 0; j < positions; ++j) {
    const Lanes weight = lanes_at(weights + j * lane_count);
    for (std::size_t i = 0; i < count; ++i)
      sums[i] += weight * lanes_at(features + j * stride + i * block_rows);
  }
  for (std::size_t i = 0; i < count; ++i) lanes_at(result + i * block_rows) = sums[i];
}

/** Computes the weighted sum over positions for all features of a head. */
KERNELSCAPE_INLINE void weigh_positions(const AttentionSize& size, const float* weights,
                                        const float* features, std::size_t stride, float* result) {
  std::size_t feature = 0;
  for (; feature + 8 <= size.head_width; feature += 8) {
    const std::size_t place = feature * block_rows;
    weigh_features<8>(size.positions, weights, features + place, stride, result + place);
  }
  for (; feature < size.head_width; ++feature) {
    const std::size_t place = feature * block_rows;
    weigh_features<1>(size.positions, weights, features + place, stride, result + place);
  }
}

/** Computes to += factor * from, for all features of a head. */
KERNELSCAPE_INLINE void add_features(const AttentionSize& size, const Lanes& factor, const float* from,
                                     float* to) {
  for (std::size_t feature = 0; feature < size.head_width; ++feature)
    lanes_at(to + feature * block_rows) += factor * lanes_at(from + feature * block_rows);
}

/** Processes one head and sixteen rows. @param weights lane_count numbers for each pair of positions */
KERNELSCAPE_VECTOR_UNITS void attend_head(const AttentionSize& size, const HeadPlaces& head,
                                          const float* present, bool keeps_weights, float* weights,
                                          float* attended, std::size_t attended_stride) {
  for (std::size_t i = 0; i < size.positions; ++i) {
    float* own = weights + (keeps_weights ? i * size.positions * lane_count : 0);
    softmax_of_scores(size, head, head.queries + i * head.stride, present, own);
    weigh_positions(size, own, head.values, head.stride, attended + i * attended_stride);
  }
}

/** Gradients of one head, with the layout of HeadPlaces. */
struct HeadGradients {
  float* queries;
  float* keys;
  float* values;
  std::size_t stride;
};

/** @param scores buffer for lane_count numbers for each position */
KERNELSCAPE_VECTOR_UNITS void attend_head_gradient(const AttentionSize& size, const HeadPlaces& head,
                                                   const float* weights, const float* attended_gradient,
                                                   std::size_t attended_stride,
                                                   const HeadGradients& gradients, float* scores) {
  const float scale = 1 / std::sqrt(static_cast<float>(size.head_width));
  for (std::size_t i = 0; i < size.positions; ++i) {
    const float* own = weights + i * size.positions * lane_count;
    const float* output = attended_gradient + i * attended_stride;
    Lanes mean{};
    for (std::size_t j = 0; j < size.positions; ++j) {
      const Lanes weight = lanes_at(own + j * lane_count);
      Lanes slope;
      dot(output, head.values + j * head.stride, size.head_width, slope);
      mean += weight * slope;
      lanes_at(scores + j * lane_count) = slope;
      add_features(size, weight, output, gradients.values + j * gradients.stride);
    }
    for (std::size_t j = 0; j < size.positions; ++j) {
      Lanes& score = lanes_at(scores + j * lane_count);
      score = lanes_at(own + j * lane_count) * (score - mean) * scale;
      add_features(size, score, head.queries + i * head.stride, gradients.keys + j * gradients.stride);
    }
    weigh_positions(size, scores, head.keys, head.stride, gradients.queries + i * gradients.stride);
  }
}

}  // namespace

std::size_t AttentionSize::weights() const { return heads * positions * positions * block_rows; }

void attend(const AttentionSize& size, const PositionMatrices& projected, const float* present,
            float* weights, PositionMatrices& attended) {
  const std::size_t pairs = size.positions * size.positions * lane_count;
  FloatBuffer scratch(weights == nullptr ? size.positions * lane_count : 0);
  for (std::size_t head = 0; head < size.heads; ++head) {
    for (std::size_t row = 0; row < block_rows; row += lane_count) {
      const std::size_t group = (head * block_rows + row) / lane_count;
      attend_head(size, places_of(size, projected, head, row), present + row, weights != nullptr,
                  weights == nullptr ? scratch.data() : weights + group * pairs,
                  attended.at(0) + head * size.head_width * block_rows + row, attended.stride());
    }
  }
}

void attend_gradient(const AttentionSize& size, const PositionMatrices& projected, const float* weights,
                     const PositionMatrices& attended_gradient, PositionMatrices& projected_gradient) {
  const std::size_t pairs = size.positions * size.positions * lane_count;
  const std::size_t width = size.width() * block_rows;
  FloatBuffer scores(size.positions * lane_count);
  for (std::size_t position = 0; position < size.positions; ++position)
    std::fill_n(projected_gradient.at(position), 3 * width, 0.0F);
  for (std::size_t head = 0; head < size.heads; ++head) {
    for (std::size_t row = 0; row < block_rows; row += lane_count) {
      const std::size_t group = (head * block_rows + row) / lane_count;
      const std::size_t place = head * size.head_width * block_rows + row;
      float* first = projected_gradient.at(0) + place;
      attend_head_gradient(size, places_of(size, projected, head, row), weights + group * pairs,
                           attended_gradient.at(0) + place, attended_gradient.stride(),
                           {first, first + width, first + 2 * width, projected_gradient.stride()},
                           scores.data());
    }
  }
}

}  // namespace kernelscape::surrogate
