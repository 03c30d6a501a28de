#include "core/surrogate/network/lane_loops.h"

#include <cmath>

#include "core/surrogate/network/lanes.h"

namespace kernelscape::surrogate {
namespace {

/** The value of PyTorch. */
constexpr float variance_floor = 1e-5F;

/** Returns the sum of the lanes, always in the same order. */
KERNELSCAPE_INLINE float sum_of_lanes(const Lanes& lanes) {
  float sum = 0;
  for (std::size_t lane = 0; lane < lane_count; ++lane) sum += lanes[lane];
  return sum;
}

}  // namespace

KERNELSCAPE_VECTOR_UNITS void fill_with_biases(const float* biases, std::size_t features, float* matrix) {
  for (std::size_t feature = 0; feature < features; ++feature) {
    float* row = matrix + feature * block_rows;
    for (std::size_t i = 0; i < block_rows; i += lane_count) lanes_at(row + i) = Lanes{} + biases[feature];
  }
}

KERNELSCAPE_VECTOR_UNITS void add_row_sums(const float* matrix, std::size_t features, float* sums) {
  for (std::size_t feature = 0; feature < features; ++feature) {
    Lanes sum{};
    for (std::size_t i = 0; i < block_rows; i += lane_count)
      sum += lanes_at(matrix + feature * block_rows + i);
    sums[feature] += sum_of_lanes(sum);
  }
}

KERNELSCAPE_VECTOR_UNITS void add_matrix(const float* from, std::size_t features, float* to) {
  for (std::size_t i = 0; i < features * block_rows; i += lane_count) lanes_at(to + i) += lanes_at(from + i);
}

KERNELSCAPE_VECTOR_UNITS void multiply_matrix(const float* factors, std::size_t features, float* matrix) {
  for (std::size_t i = 0; i < features * block_rows; i += lane_count)
    lanes_at(matrix + i) *= lanes_at(factors + i);
}

KERNELSCAPE_VECTOR_UNITS void add_scaled_columns(const float* from, const float* factors,
                                                 std::size_t features, float* to) {
  for (std::size_t feature = 0; feature < features; ++feature) {
    const std::size_t row = feature * block_rows;
    for (std::size_t i = 0; i < block_rows; i += lane_count)
      lanes_at(to + row + i) += lanes_at(from + row + i) * lanes_at(factors + i);
  }
}

KERNELSCAPE_VECTOR_UNITS void rectify(std::size_t features, float* matrix) {
  for (std::size_t i = 0; i < features * block_rows; i += lane_count) {
    Lanes& lanes = lanes_at(matrix + i);
    lanes = lanes > 0 ? lanes : Lanes{};
  }
}

KERNELSCAPE_VECTOR_UNITS void rectify_gradient(const float* rectified, std::size_t features,
                                               float* gradient) {
  for (std::size_t i = 0; i < features * block_rows; i += lane_count) {
    Lanes& lanes = lanes_at(gradient + i);
    lanes = lanes_at(rectified + i) > 0 ? lanes : Lanes{};
  }
}

KERNELSCAPE_VECTOR_UNITS void add_weighted_rows(const float* matrix, const float* weights,
                                                std::size_t features, float* values) {
  for (std::size_t feature = 0; feature < features; ++feature) {
    const float* row = matrix + feature * block_rows;
    for (std::size_t i = 0; i < block_rows; i += lane_count)
      lanes_at(values + i) += lanes_at(row + i) * weights[feature];
  }
}

KERNELSCAPE_VECTOR_UNITS void weighted_rows_gradient(const float* matrix, const float* weights,
                                                     const float* value_gradient, std::size_t features,
                                                     float* weight_gradient, float* matrix_gradient) {
  for (std::size_t feature = 0; feature < features; ++feature) {
    const std::size_t row = feature * block_rows;
    Lanes sum{};
    for (std::size_t i = 0; i < block_rows; i += lane_count) {
      sum += lanes_at(matrix + row + i) * lanes_at(value_gradient + i);
      lanes_at(matrix_gradient + row + i) = lanes_at(value_gradient + i) * weights[feature];
    }
    weight_gradient[feature] += sum_of_lanes(sum);
  }
}

KERNELSCAPE_VECTOR_UNITS void normalize(const NormParameters& norm, const float* input, float* normalized,
                                        float* inverse_deviations, float* output) {
  const float share = 1 / static_cast<float>(norm.features);
  for (std::size_t i = 0; i < block_rows; i += lane_count) {
    Lanes mean{};
    for (std::size_t feature = 0; feature < norm.features; ++feature)
      mean += lanes_at(input + feature * block_rows + i);
    mean *= share;
    Lanes variance{};
    for (std::size_t feature = 0; feature < norm.features; ++feature) {
      const Lanes difference = lanes_at(input + feature * block_rows + i) - mean;
      variance += difference * difference;
    }
    variance = variance * share + variance_floor;
    Lanes inverse{};
    for (std::size_t lane = 0; lane < lane_count; ++lane) inverse[lane] = 1 / std::sqrt(variance[lane]);
    lanes_at(inverse_deviations + i) = inverse;
    for (std::size_t feature = 0; feature < norm.features; ++feature) {
      const std::size_t place = feature * block_rows + i;
      const Lanes value = (lanes_at(input + place) - mean) * inverse;
      lanes_at(normalized + place) = value;
      lanes_at(output + place) = value * norm.scales[feature] + norm.shifts[feature];
    }
  }
}

KERNELSCAPE_VECTOR_UNITS void normalize_gradient(const NormParameters& norm, const float* normalized,
                                                 const float* inverse_deviations,
                                                 const float* output_gradient, float* scale_gradient,
                                                 float* shift_gradient, float* input_gradient) {
  const float share = 1 / static_cast<float>(norm.features);
  for (std::size_t i = 0; i < block_rows; i += lane_count) {
    Lanes sum{};
    Lanes weighted_sum{};
    for (std::size_t feature = 0; feature < norm.features; ++feature) {
      const std::size_t place = feature * block_rows + i;
      const Lanes gradient = lanes_at(output_gradient + place) * norm.scales[feature];
      sum += gradient;
      weighted_sum += gradient * lanes_at(normalized + place);
    }
    sum *= share;
    weighted_sum *= share;
    for (std::size_t feature = 0; feature < norm.features; ++feature) {
      const std::size_t place = feature * block_rows + i;
      const Lanes gradient = lanes_at(output_gradient + place) * norm.scales[feature];
      lanes_at(input_gradient + place) +=
          (gradient - sum - lanes_at(normalized + place) * weighted_sum) * lanes_at(inverse_deviations + i);
    }
  }
  for (std::size_t feature = 0; feature < norm.features; ++feature) {
    Lanes scale{};
    Lanes shift{};
    for (std::size_t i = 0; i < block_rows; i += lane_count) {
      const std::size_t place = feature * block_rows + i;
      scale += lanes_at(output_gradient + place) * lanes_at(normalized + place);
      shift += lanes_at(output_gradient + place);
    }
    scale_gradient[feature] += sum_of_lanes(scale);
    shift_gradient[feature] += sum_of_lanes(shift);
  }
}

}  // namespace kernelscape::surrogate
