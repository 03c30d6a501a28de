#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/graph/graph.h"

namespace kernelscape::exchange_tests {

/** Builds graphs with random constants, node by node. */
class ModelBuilder {
 public:
  explicit ModelBuilder(base::Random& random) : random_(random) { graph.name = "made"; }

  graph::Graph graph;

  std::size_t input(const std::string& name, graph::Shape shape,
                    graph::ElementType type = graph::ElementType::F32) {
    const std::size_t number = value(name, std::move(shape), type);
    graph.inputs.push_back(number);
    return number;
  }

  std::size_t value(const std::string& name, graph::Shape shape,
                    graph::ElementType type = graph::ElementType::F32) {
    return graph.add({.name = name, .type = type, .shape = std::move(shape)});
  }

  /** A constant of [-scale, scale) + shift. */
  std::size_t weights(graph::Shape shape, double scale = 1, double shift = 0) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(graph::element_count(shape)) * sizeof(float));
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(float)) {
      const auto number = static_cast<float>((random_.uniform() * 2 - 1) * scale + shift);
      std::memcpy(bytes.data() + i, &number, sizeof number);
    }
    return graph.add_constant("weights " + std::to_string(graph.values.size()), graph::ElementType::F32,
                              std::move(shape), std::move(bytes));
  }

  std::size_t floats(const std::vector<float>& numbers) {
    std::vector<std::byte> bytes(numbers.size() * sizeof(float));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return graph.add_constant("floats " + std::to_string(graph.values.size()), graph::ElementType::F32,
                              {static_cast<std::int64_t>(numbers.size())}, std::move(bytes));
  }

  std::size_t integers(const std::vector<std::int64_t>& numbers) {
    std::vector<std::byte> bytes(numbers.size() * sizeof(std::int64_t));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return graph.add_constant("integers " + std::to_string(graph.values.size()), graph::ElementType::I64,
                              {static_cast<std::int64_t>(numbers.size())}, std::move(bytes));
  }

  /** Appends a node with one result, and returns the result. */
  std::size_t node(const std::string& operation, std::vector<std::size_t> inputs, graph::Shape shape,
                   std::map<std::string, graph::Attribute> attributes = {},
                   std::vector<task::EpilogueStep> epilogue = {},
                   graph::ElementType type = graph::ElementType::F32) {
    const std::string name = operation + " " + std::to_string(graph.nodes.size());
    const std::size_t result = value("result of " + name, std::move(shape), type);
    graph.nodes.push_back({.name = name,
                           .operation = operation,
                           .inputs = std::move(inputs),
                           .outputs = {result},
                           .attributes = std::move(attributes),
                           .epilogue = std::move(epilogue)});
    return result;
  }

  /** A convolution that keeps the image's size, or halves it with stride 2. */
  std::size_t convolution(std::size_t data, std::int64_t channels, std::int64_t kernel, std::int64_t stride,
                          std::int64_t groups = 1, std::vector<std::size_t> operands = {},
                          std::vector<task::EpilogueStep> epilogue = {}) {
    const graph::Shape shape = graph.values[data].shape;
    const std::int64_t pad = kernel / 2;
    const std::int64_t depth = shape[1] / groups;
    std::vector<std::size_t> inputs{data, weights({channels, depth, kernel, kernel}, 0.3)};
    inputs.insert(inputs.end(), operands.begin(), operands.end());
    const auto size = [&](std::int64_t extent) { return (extent + 2 * pad - kernel) / stride + 1; };
    using Integers = std::vector<std::int64_t>;
    return node("Conv", inputs, {shape[0], channels, size(shape[2]), size(shape[3])},
                {{"pads", Integers{pad, pad, pad, pad}},
                 {"strides", Integers{stride, stride}},
                 {"group", groups},
                 {"kernel_shape", Integers{kernel, kernel}}},
                std::move(epilogue));
  }

 private:
  base::Random& random_;
};

/** A network of convolutions: residual, joined, pooled, grouped, normalised, and a classifier. */
inline graph::Graph convolutional_model(base::Random& random) {
  using Integers = std::vector<std::int64_t>;
  using enum task::EpilogueKind;
  ModelBuilder m(random);
  const auto channels = static_cast<std::int64_t>(8 * (1 + random.below(4)));
  const auto size = static_cast<std::int64_t>(9 + random.below(8));
  const std::int64_t half = (size - 1) / 2 + 1;
  std::size_t x = m.input("image \"*/ \\ \n", {1, 3, size, size});
  x = m.convolution(x, channels, 3, 1, 1, {m.weights({channels})}, {{Bias}, {Relu}});
  const std::size_t before = x;
  x = m.convolution(x, channels, 3, 1, 1, {m.weights({channels}), before}, {{Bias}, {Add}, {Clip, 0, 6}});
  x = m.node(
      "BatchNormalization",
      {x, m.weights({channels}), m.weights({channels}), m.weights({channels}), m.weights({channels}, 0.4, 1)},
      m.graph.values[x].shape);
  const std::size_t pooled =
      m.node("MaxPool", {x}, {1, channels, half, half},
             {{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}, {"pads", Integers{1, 1, 1, 1}}});
  const std::size_t other = m.convolution(x, 24, 1, 2, 1, {}, {{HardSwish}});
  x = m.node("Concat", {pooled, other}, {1, channels + 24, half, half}, {{"axis", std::int64_t{1}}});
  x = m.convolution(x, channels + 24, 3, 1, channels + 24);  // depthwise
  x = m.convolution(x, 2 * (channels + 24), 1, 1, 4);
  x = m.node("Reshape", {x, m.integers({1, 2, channels + 24, half, half})},
             {1, 2, channels + 24, half, half});
  x = m.node("Transpose", {x}, {1, channels + 24, 2, half, half}, {{"perm", Integers{0, 2, 1, 3, 4}}});
  x = m.node("Reshape", {x, m.integers({1, 2 * (channels + 24), half, half})},
             {1, 2 * (channels + 24), half, half});
  x = m.convolution(x, 32, 1, 1, 1, {m.weights({32})});
  x = m.node("Sigmoid", {x}, m.graph.values[x].shape);
  x = m.node("AveragePool", {x}, {1, 32, half - 1, half - 1}, {{"kernel_shape", Integers{2, 2}}});
  x = m.node("LRN", {x}, m.graph.values[x].shape, {{"size", std::int64_t{5}}});
  x = m.node("Pad", {x, m.integers({0, 0, 1, 2, 0, 0, 0, 1})}, {1, 32, half, half + 2});
  x = m.node("Slice", {x, m.integers({1, 16}), m.integers({100, 32}), m.integers({2, 1})},
             {1, 16, half - 1, half + 2});
  x = m.node("GlobalAveragePool", {x}, {1, 16, 1, 1});
  x = m.node("Flatten", {x}, {1, 16});
  x = m.node("Gemm", {x, m.weights({21, 16}), m.weights({21})}, {1, 21},
             {{"transB", std::int64_t{1}}, {"alpha", 0.5}, {"beta", 2.0}}, {{Tanh}});
  x = m.node("Softmax", {x}, {1, 21}, {{"axis", std::int64_t{-1}}});
  m.graph.outputs = {x, before};
  return m.graph;
}

/**
 * Branches that are joined and divided: concatenations of results in blocks, within each other and of one
 * value twice, parts of them, and units of grouped convolutions with a shuffle of channels and a residual.
 */
inline graph::Graph branching_model(base::Random& random) {
  using Integers = std::vector<std::int64_t>;
  using enum task::EpilogueKind;
  ModelBuilder m(random);
  const auto size = static_cast<std::int64_t>(5 + random.below(8));
  const auto width = static_cast<std::int64_t>(8 * (1 + random.below(4)));
  const auto concat = [&](const std::vector<std::size_t>& operands) {
    graph::Shape shape{1, 0, size, size};
    for (const std::size_t operand : operands) shape[1] += m.graph.values[operand].shape[1];
    return m.node("Concat", operands, shape, {{"axis", std::int64_t{1}}});
  };
  std::size_t x = m.convolution(m.input("image", {1, 3, size, size}), 32, 3, 1, 1, {}, {{Relu}});
  const std::size_t first = m.convolution(x, width, 1, 1, 1, {m.weights({width})}, {{Bias}, {Relu}});
  const std::size_t second = m.convolution(x, 64, 3, 1);
  const std::size_t inner = concat({first, second});
  const std::size_t third = m.convolution(inner, 16, 1, 1);
  x = concat({third, inner, third, x});
  const std::int64_t joined = m.graph.values[x].shape[1];
  const graph::Shape part{1, joined / 2, size, size};
  const std::size_t low = m.value("low", part);
  const std::size_t high = m.value("high", part);
  m.graph.nodes.push_back({.name = "parts",
                           .operation = "Split",
                           .inputs = {x, m.integers({joined / 2, joined / 2})},
                           .outputs = {low, high},
                           .attributes = {{"axis", std::int64_t{1}}},
                           .epilogue = {}});
  const auto of_group = static_cast<std::int64_t>(10 + random.below(10));
  const std::int64_t channels = 4 * of_group;
  const std::size_t left = m.convolution(low, channels, 1, 1);
  std::size_t y = m.convolution(high, channels, 1, 1, 1, {left}, {{Add}});
  const std::size_t residual = y;
  y = m.convolution(y, channels, 1, 1, 4, {m.weights({channels})}, {{Bias}, {Relu}});
  y = m.node("Reshape", {y, m.integers({1, 4, of_group, size, size})}, {1, 4, of_group, size, size});
  y = m.node("Transpose", {y}, {1, of_group, 4, size, size}, {{"perm", Integers{0, 2, 1, 3, 4}}});
  y = m.node("Reshape", {y, m.integers({1, channels, size, size})}, {1, channels, size, size});
  y = m.convolution(y, channels, 3, 1, channels, {m.weights({channels})}, {{Bias}});
  y = m.convolution(y, channels, 1, 1, 4, {m.weights({channels}), residual}, {{Bias}, {Add}, {Relu}});
  m.graph.outputs = {m.node("GlobalAveragePool", {y}, {1, channels, 1, 1}), second, x};
  return m.graph;
}

/** A block of a transformer: normalisation, attention of two heads, a mask, and a layer with Gelu. */
inline graph::Graph attention_model(base::Random& random) {
  using Integers = std::vector<std::int64_t>;
  using enum task::EpilogueKind;
  ModelBuilder m(random);
  const auto length = static_cast<std::int64_t>(3 + random.below(20));
  const std::int64_t width = 32;
  const std::size_t tokens = m.input("tokens", {1, length}, graph::ElementType::I64);
  const std::size_t mask = m.input("mask", {1, 1, 1, length}, graph::ElementType::Bool);
  std::size_t x =
      m.node("Gather", {m.weights({7, width}), tokens}, {1, length, width}, {{"axis", std::int64_t{0}}});
  const std::size_t start = x;
  x = m.node("LayerNormalization", {x, m.weights({width}), m.weights({width})}, {1, length, width},
             {{"axis", std::int64_t{-1}}});
  const auto head = [&](const Integers& order, const graph::Shape& shape) {
    std::size_t y = m.node("MatMul", {x, m.weights({width, width}, 0.3), m.weights({width})},
                           {1, length, width}, {}, {{Bias}});
    y = m.node("Reshape", {y, m.integers({1, length, 2, 16})}, {1, length, 2, 16});
    return m.node("Transpose", {y}, shape, {{"perm", order}});
  };
  const std::size_t query = head({0, 2, 1, 3}, {1, 2, length, 16});
  const std::size_t key = head({0, 2, 3, 1}, {1, 2, 16, length});
  const std::size_t read = head({0, 2, 1, 3}, {1, 2, length, 16});
  std::size_t scores = m.node("MatMul", {query, key}, {1, 2, length, length});
  scores = m.node("Div", {scores, m.weights({}, 0, 4)}, {1, 2, length, length});
  scores = m.node("Where", {mask, scores, m.weights({1}, 0, -3)}, {1, 2, length, length});
  scores = m.node("Softmax", {scores}, {1, 2, length, length}, {{"axis", std::int64_t{3}}});
  x = m.node("MatMul", {scores, read}, {1, 2, length, 16});
  x = m.node("Transpose", {x}, {1, length, 2, 16}, {{"perm", Integers{0, 2, 1, 3}}});
  x = m.node("Reshape", {x, m.integers({1, length, width})}, {1, length, width});
  x = m.node("MatMul", {x, m.weights({width, 48}, 0.3)}, {1, length, 48}, {}, {{Gelu}});
  x = m.node("MatMul", {x, m.weights({48, width}, 0.3), start}, {1, length, width}, {}, {{Add}});
  const std::size_t erf = m.node("Erf", {x}, {1, length, width});
  const std::size_t mean = m.node("ReduceMean", {x}, {1, length, 1}, {{"axes", Integers{-1}}});
  x = m.node("Sub", {erf, mean}, {1, length, width});
  const std::size_t power = m.node("Pow", {x, m.weights({}, 0, 2)}, {1, length, width});
  x = m.node("Max", {x, power, m.weights({width})}, {1, length, width});
  m.graph.outputs = {x};
  return m.graph;
}

/** An image, resized by random scales: a node for each transformation and rounding. */
inline graph::Graph resized_model(base::Random& random) {
  ModelBuilder m(random);
  const graph::Shape shape{1, 2, static_cast<std::int64_t>(3 + random.below(6)),
                           static_cast<std::int64_t>(3 + random.below(6))};
  const std::size_t x = m.input("image", shape);
  const auto resized = [&](std::map<std::string, graph::Attribute> attributes) {
    graph::Shape result = shape;
    std::vector<float> scales{1, 1};
    for (std::size_t d = 2; d < 4; ++d) {
      scales.push_back(static_cast<float>(random.uniform() * 2 + 0.4));
      result[d] = static_cast<std::int64_t>(static_cast<float>(shape[d]) * scales[d]);
    }
    m.graph.outputs.push_back(
        m.node("Resize", {x, graph::absent, m.floats(scales)}, result, std::move(attributes)));
  };
  for (const char* transformation : {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                                     "align_corners", "asymmetric", "tf_half_pixel_for_nn"}) {
    resized(
        {{"coordinate_transformation_mode", std::string(transformation)}, {"mode", std::string("linear")}});
    for (const char* nearest : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})
      resized({{"coordinate_transformation_mode", std::string(transformation)},
               {"nearest_mode", std::string(nearest)}});
  }
  return m.graph;
}

}  // namespace kernelscape::exchange_tests
