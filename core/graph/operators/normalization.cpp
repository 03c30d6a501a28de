#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** Refuses a tensor that does not have one element for each channel. */
Status check_channels(const Call& call, std::size_t input, std::string_view name) {
  if (call[0].shape.size() < 2 ||
      static_cast<std::int64_t>(call[input].elements.size()) != call[0].shape[1]) {
    return call.refuse(fmt::format("its {} of shape {} does not fit an input of shape {}", name,
                                   shape_text(call[input].shape), shape_text(call[0].shape)));
  }
  return {};
}

Result<Tensors> batch_normalization(const Call& call) {
  if (call.integer("training_mode", 0) != 0) return call.refuse("its training mode is not supported");
  TRY(check_channels(call, 1, "scale"));
  TRY(check_channels(call, 2, "B"));
  TRY(check_channels(call, 3, "input_mean"));
  TRY(check_channels(call, 4, "input_var"));
  const double epsilon = call.number("epsilon", 1e-5);
  Tensor result = call[0];
  const std::int64_t count = extent_product(result.shape, 2, result.shape.size());
  auto element = result.elements.begin();
  for (std::int64_t plane = 0; plane < result.shape[0] * result.shape[1]; ++plane) {
    const std::int64_t channel = plane % result.shape[1];
    const double factor = at(call[1], channel) / std::sqrt(at(call[4], channel) + epsilon);
    for (std::int64_t i = 0; i < count; ++i, ++element)
      *element = (*element - at(call[3], channel)) * factor + at(call[2], channel);
  }
  return one_result(std::move(result));
}

/** Mean, and 1 / sqrt(variance + epsilon). */
struct Moments {
  double mean;
  double inverse_deviation;
};

/** Returns the moments of numbers, and makes their mean 0 and their variance 1. */
Moments standardize(double* numbers, std::int64_t count, double epsilon) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += numbers[i];
  const double mean = sum / static_cast<double>(count);
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) squares += (numbers[i] - mean) * (numbers[i] - mean);
  const double inverse = 1 / std::sqrt(squares / static_cast<double>(count) + epsilon);
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = (numbers[i] - mean) * inverse;
  return {mean, inverse};
}

Result<Tensors> instance_normalization(const Call& call) {
  TRY(check_channels(call, 1, "scale"));
  TRY(check_channels(call, 2, "B"));
  const double epsilon = call.number("epsilon", 1e-5);
  Tensor result = call[0];
  const std::int64_t count = extent_product(result.shape, 2, result.shape.size());
  for (std::int64_t plane = 0; plane < result.shape[0] * result.shape[1]; ++plane) {
    const std::int64_t channel = plane % result.shape[1];
    double* elements = result.elements.data() + plane * count;
    standardize(elements, count, epsilon);
    for (std::int64_t i = 0; i < count; ++i)
      elements[i] = elements[i] * at(call[1], channel) + at(call[2], channel);
  }
  return one_result(std::move(result));
}

Result<Tensors> layer_normalization(const Call& call) {
  Tensor result = call[0];
  const std::size_t axis = TRY(axis_of(call, call.integer("axis", -1), result.shape.size()));
  for (std::size_t input = 1; input <= 2; ++input) {
    if (call.has(input) && broadcast_shape(call[input].shape, result.shape) != result.shape) {
      return call.refuse(fmt::format("its {} of shape {} does not fit an input of shape {}",
                                     input == 1 ? "scale" : "B", shape_text(call[input].shape),
                                     shape_text(result.shape)));
    }
  }
  const std::int64_t count = extent_product(result.shape, axis, result.shape.size());
  const double epsilon = call.number("epsilon", 1e-5);
  Shape reduced = result.shape;
  std::fill(reduced.begin() + static_cast<std::ptrdiff_t>(axis), reduced.end(), 1);
  Tensor means{ElementType::F32, reduced, {}};
  Tensor deviations{ElementType::F32, reduced, {}};
  for (std::int64_t row = 0; row < extent_product(result.shape, 0, axis); ++row) {
    const Moments moments = standardize(result.elements.data() + row * count, count, epsilon);
    means.elements.push_back(moments.mean);
    deviations.elements.push_back(moments.inverse_deviation);
  }
  for (std::size_t input = 1; input <= 2; ++input) {
    if (!call.has(input)) continue;
    auto element = result.elements.begin();
    for_each_offset<1>(result.shape, {broadcast_strides(call[input].shape, result.shape)},
                       [&](const auto& offsets) {
                         const double operand = at(call[input], offsets[0]);
                         *element = input == 1 ? *element * operand : *element + operand;
                         ++element;
                       });
  }
  Tensors results = one_result(std::move(result));
  if (call.output_count() > 1) results.push_back(std::move(means));
  if (call.output_count() > 2) results.push_back(std::move(deviations));
  return results;
}

Result<Tensors> local_response_normalization(const Call& call) {
  const Tensor& input = call[0];
  if (input.shape.size() < 2)
    return call.refuse(fmt::format("its input of shape {} has no channels", shape_text(input.shape)));
  const std::int64_t size = call.integer("size", 0);
  if (size < 1) return call.refuse("its attribute size is missing or below 1");
  const double alpha = call.number("alpha", 1e-4) / static_cast<double>(size);
  const double beta = call.number("beta", 0.75);
  const double bias = call.number("bias", 1);
  const std::int64_t channels = input.shape[1];
  const std::int64_t count = extent_product(input.shape, 2, input.shape.size());
  Tensor result = input;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(result.elements.size()); ++i) {
    const std::int64_t channel = i / count % channels;
    const std::int64_t first = std::max<std::int64_t>(channel - (size - 1) / 2, 0);
    const std::int64_t last = std::min(channel + size / 2, channels - 1);
    double squares = 0;
    for (std::int64_t other = first; other <= last; ++other) {
      const double x = at(input, i + (other - channel) * count);
      squares += x * x;
    }
    at(result, i) = at(input, i) / std::pow(bias + alpha * squares, beta);
  }
  return one_result(std::move(result));
}

/** A row along an axis whose elements lie `stride` apart. */
struct Row {
  double* elements;
  std::int64_t count;
  std::int64_t stride;

  double& operator[](std::int64_t i) const { return elements[i * stride]; }
};

/** Changes each row along the attribute axis. */
template <typename Change>
Result<Tensors> for_each_row(const Call& call, const Change& change) {
  Tensor result = call[0];
  const std::size_t axis = TRY(axis_of(call, call.integer("axis", -1), result.shape.size()));
  const std::int64_t inner = extent_product(result.shape, axis + 1, result.shape.size());
  const std::int64_t count = result.shape[axis];
  for (std::int64_t outer = 0; outer < extent_product(result.shape, 0, axis); ++outer)
    for (std::int64_t i = 0; i < inner; ++i)
      change(Row{result.elements.data() + outer * count * inner + i, count, inner});
  return one_result(std::move(result));
}

/** Subtracts the largest element of a row. @return the sum of exp() of the elements then */
double shift_to_largest(const Row& row) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < row.count; ++i) largest = std::max(largest, row[i]);
  double sum = 0;
  for (std::int64_t i = 0; i < row.count; ++i) {
    row[i] -= largest;
    sum += std::exp(row[i]);
  }
  return sum;
}

Result<Tensors> softmax(const Call& call) {
  return for_each_row(call, [](const Row& row) {
    const double sum = shift_to_largest(row);
    for (std::int64_t i = 0; i < row.count; ++i) row[i] = std::exp(row[i]) / sum;
  });
}

Result<Tensors> log_softmax(const Call& call) {
  return for_each_row(call, [](const Row& row) {
    const double logarithm = std::log(shift_to_largest(row));
    for (std::int64_t i = 0; i < row.count; ++i) row[i] -= logarithm;
  });
}

/** Hardmax: 1 for the first of the largest elements, else 0. */
Result<Tensors> hard_maximum(const Call& call) {
  return for_each_row(call, [](const Row& row) {
    std::int64_t largest = 0;
    for (std::int64_t i = 1; i < row.count; ++i)
      if (row[i] > row[largest]) largest = i;
    for (std::int64_t i = 0; i < row.count; ++i) row[i] = i == largest ? 1 : 0;
  });
}

Result<Tensors> norm_normalization(const Call& call) {
  const std::int64_t power = call.integer("p", 2);
  return for_each_row(call, [power](const Row& row) {
    double sum = 0;
    for (std::int64_t i = 0; i < row.count; ++i) sum += power == 1 ? std::abs(row[i]) : row[i] * row[i];
    const double norm = power == 1 ? sum : std::sqrt(sum);
    for (std::int64_t i = 0; norm > 0 && i < row.count; ++i) row[i] /= norm;
  });
}

}  // namespace

std::vector<Operator> normalization_operators() {
  return {
      {"BatchNormalization", 5, 5, batch_normalization},       {"Hardmax", 1, 1, hard_maximum},
      {"InstanceNormalization", 3, 3, instance_normalization}, {"LRN", 1, 1, local_response_normalization},
      {"LayerNormalization", 2, 3, layer_normalization},       {"LogSoftmax", 1, 1, log_softmax},
      {"LpNormalization", 1, 1, norm_normalization},           {"Softmax", 1, 1, softmax},
  };
}

}  // namespace kernelscape::graph
