#include "core/graph/operators/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/graph/operators/indexing.h"
#include "core/graph/operators/matrix_product.h"
#include "core/graph/operators/window.h"
#include "core/graph/operators/zero_point.h"

namespace kernelscape::graph {

namespace {

/**
 * The input of a convolution as a matrix: a row for each channel and place in the kernel, a column for each
 * position of the result. What lies in the padding is 0.
 */
class InputMatrix {
 public:
  InputMatrix(const double* input, const Window& window, const Shape& spatial, bool transposed)
      : input_(input), window_(window), spatial_(spatial), transposed_(transposed) {}

  void write(const Panel& panel, std::int64_t row_distance, double* elements) const {
    const std::size_t rank = spatial_.size();
    const std::vector<Lanes> origins = origins_of(panel);
    const std::int64_t kernel_count = element_count(window_.kernel);
    const std::int64_t input_count = element_count(spatial_);
    for (std::int64_t row = panel.first_row; row < panel.first_row + panel.rows; ++row) {
      Lanes offsets{};
      std::int64_t place = row % kernel_count;
      std::int64_t stride = 1;
      for (std::size_t axis = rank; axis-- > 0;) {
        const std::int64_t shift = place % window_.kernel[axis] * window_.dilations[axis];
        place /= window_.kernel[axis];
        for (std::size_t lane = 0; lane < static_cast<std::size_t>(panel.columns); ++lane) {
          const std::int64_t coordinate = input_coordinate(axis, origins[axis][lane], shift);
          offsets[lane] = coordinate < 0 || offsets[lane] < 0 ? -1 : offsets[lane] + coordinate * stride;
        }
        stride *= spatial_[axis];
      }
      const double* channel = input_ + row / kernel_count * input_count;
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(panel.columns); ++lane)
        elements[lane] = offsets[lane] < 0 ? 0 : channel[offsets[lane]];
      elements += row_distance;
    }
  }

 private:
  using Lanes = std::array<std::int64_t, static_cast<std::size_t>(max_panel_columns)>;

  /** Returns for each axis the coordinate of each column's position, without the place in the kernel. */
  std::vector<Lanes> origins_of(const Panel& panel) const {
    std::vector<Lanes> origins(spatial_.size());
    for (std::int64_t lane = 0; lane < panel.columns; ++lane) {
      std::int64_t position = panel.first_column + lane;
      for (std::size_t axis = spatial_.size(); axis-- > 0;) {
        const std::int64_t coordinate = position % window_.positions[axis];
        position /= window_.positions[axis];
        origins[axis][static_cast<std::size_t>(lane)] =
            transposed_ ? coordinate + window_.padding_before[axis]
                        : coordinate * window_.strides[axis] - window_.padding_before[axis];
      }
    }
    return origins;
  }

  /** Returns a coordinate of the input; -1 if it lies outside or, transposed, between two elements. */
  std::int64_t input_coordinate(std::size_t axis, std::int64_t origin, std::int64_t shift) const {
    if (!transposed_) {
      const std::int64_t coordinate = origin + shift;
      return coordinate >= 0 && coordinate < spatial_[axis] ? coordinate : -1;
    }
    const std::int64_t distance = origin - shift;
    const std::int64_t stride = window_.strides[axis];
    if (distance < 0 || distance % stride != 0) return -1;
    return distance / stride < spatial_[axis] ? distance / stride : -1;
  }

  const double* input_;
  const Window& window_;
  const Shape& spatial_;
  bool transposed_;
};

/** A convolution as matrices: `weights` are groups of group_rows x depth. */
struct ConvolutionMatrices {
  const Tensor& input;
  const double* weights;
  std::int64_t groups;
  std::int64_t group_rows;
  std::int64_t depth;
  bool transposed;
};

/** Adds the products of all images and groups to a result, which has the bias. */
void add_convolution(const ConvolutionMatrices& matrices, const Window& window, Tensor& result) {
  const Shape spatial = spatial_extents(matrices.input.shape);
  const std::int64_t group_elements = matrices.depth / element_count(window.kernel) * element_count(spatial);
  const std::int64_t positions = element_count(window.positions);
  std::vector<MatrixProduct> products;
  for (std::int64_t part = 0; part < matrices.input.shape[0] * matrices.groups; ++part) {
    const InputMatrix right(matrices.input.elements.data() + part * group_elements, window, spatial,
                            matrices.transposed);
    products.push_back(
        {.left = matrices.weights + part % matrices.groups * matrices.group_rows * matrices.depth,
         .rows = matrices.group_rows,
         .depth = matrices.depth,
         .columns = positions,
         .right = [right](const Panel& panel, std::int64_t distance,
                          double* elements) { right.write(panel, distance, elements); },
         .result = result.elements.data() + part * matrices.group_rows * positions});
  }
  multiply(products);
}

/** Returns a result that holds the bias of each channel. */
Result<Tensor> biased_result(const Call& call, ElementType type, std::int64_t images, std::int64_t channels,
                             const Shape& positions, const Tensor* bias) {
  Shape shape = {images, channels};
  shape.insert(shape.end(), positions.begin(), positions.end());
  Tensor result = TRY(new_tensor(call, type, shape));
  if (bias == nullptr) return result;
  if (static_cast<std::int64_t>(bias->elements.size()) != channels) {
    return call.refuse(
        fmt::format("its bias has {} elements for {} channels", bias->elements.size(), channels));
  }
  const std::int64_t count = element_count(positions);
  for (std::int64_t row = 0; row < images * channels; ++row)
    std::fill_n(result.elements.begin() + row * count, count, at(*bias, row % channels));
  return result;
}

/** Refuses inputs of another rank than weights, and a kernel_shape that is not the weights'. */
Result<Integers> kernel_of_weights(const Call& call, const Tensor& input, const Tensor& weights) {
  if (input.shape.size() < 3 || input.shape.size() != weights.shape.size()) {
    return call.refuse(fmt::format("weights of shape {} do not fit an input of shape {}",
                                   shape_text(weights.shape), shape_text(input.shape)));
  }
  const Integers kernel = spatial_extents(weights.shape);
  if (call.integers("kernel_shape", kernel) != kernel) {
    return call.refuse(
        fmt::format("its kernel_shape is not that of the weights of shape {}", shape_text(weights.shape)));
  }
  return kernel;
}

/** Refuses groups that do not divide the channels. */
Result<std::int64_t> groups_of(const Call& call, const Tensor& weights, std::int64_t channels) {
  const std::int64_t groups = call.integer("group", 1);
  if (groups < 1 || channels % groups != 0) {
    return call.refuse(fmt::format("{} groups do not divide {} channels (weights of shape {})", groups,
                                   channels, shape_text(weights.shape)));
  }
  return groups;
}

Result<Tensors> convolution(const Call& call) {
  return one_result(TRY(convolve(call, call[0], call[1], call.has(2) ? &call[2] : nullptr, call[0].type)));
}

Result<Tensors> integer_convolution(const Call& call) {
  const Tensor input = TRY(without_zero_point(call, 0, 2, 1));
  const Tensor weights = TRY(without_zero_point(call, 1, 3, 0));
  return one_result(TRY(convolve(call, input, weights, nullptr, ElementType::I32)));
}

/** Returns the weights of ConvTranspose (C x M / group x kernel) as groups of M / group rows. */
std::vector<double> transposed_weights(const Tensor& weights, std::int64_t groups) {
  const std::int64_t kernel_count = element_count(spatial_extents(weights.shape));
  const std::int64_t channels = weights.shape[0] / groups;
  const std::int64_t rows = weights.shape[1];
  std::vector<double> matrices;
  matrices.reserve(weights.elements.size());
  for (std::int64_t group = 0; group < groups; ++group)
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t channel = 0; channel < channels; ++channel)
        for (std::int64_t place = 0; place < kernel_count; ++place)
          matrices.push_back(at(weights, ((group * channels + channel) * rows + row) * kernel_count + place));
  return matrices;
}

Result<Tensors> transposed_convolution(const Call& call) {
  const Tensor& input = call[0];
  const Tensor& weights = call[1];
  const Integers kernel = TRY(kernel_of_weights(call, input, weights));
  if (weights.shape[0] != input.shape[1]) {
    return call.refuse(fmt::format("weights of shape {} do not fit an input of shape {}",
                                   shape_text(weights.shape), shape_text(input.shape)));
  }
  const std::int64_t groups = TRY(groups_of(call, weights, input.shape[1]));
  const Window window = TRY(transposed_window_of(call, spatial_extents(input.shape), kernel));
  const std::vector<double> matrices = transposed_weights(weights, groups);
  Tensor result = TRY(biased_result(call, input.type, input.shape[0], weights.shape[1] * groups,
                                    window.positions, call.has(2) ? &call[2] : nullptr));
  add_convolution({.input = input,
                   .weights = matrices.data(),
                   .groups = groups,
                   .group_rows = weights.shape[1],
                   .depth = input.shape[1] / groups * element_count(kernel),
                   .transposed = true},
                  window, result);
  return one_result(std::move(result));
}

}  // namespace

Result<Tensor> convolve(const Call& call, const Tensor& input, const Tensor& weights, const Tensor* bias,
                        ElementType type) {
  const Integers kernel = TRY(kernel_of_weights(call, input, weights));
  const std::int64_t channels = weights.shape[0];
  const std::int64_t groups = TRY(groups_of(call, weights, channels));
  if (weights.shape[1] * groups != input.shape[1]) {
    return call.refuse(fmt::format("weights of shape {} with {} groups do not fit an input of shape {}",
                                   shape_text(weights.shape), groups, shape_text(input.shape)));
  }
  const Window window = TRY(window_of(call, spatial_extents(input.shape), kernel));
  Tensor result = TRY(biased_result(call, type, input.shape[0], channels, window.positions, bias));
  add_convolution({.input = input,
                   .weights = weights.elements.data(),
                   .groups = groups,
                   .group_rows = channels / groups,
                   .depth = weights.shape[1] * element_count(kernel),
                   .transposed = false},
                  window, result);
  return result;
}

std::vector<Operator> convolution_operators() {
  return {
      {"Conv", 2, 3, convolution},
      {"ConvInteger", 2, 4, integer_convolution},
      {"ConvTranspose", 2, 3, transposed_convolution},
  };
}

}  // namespace kernelscape::graph
