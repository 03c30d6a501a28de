#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/graph/graph_builder.h"

namespace kernelscape::testing {

/**
 * Draws small graphs with all that the passes look for: layers with scales, activations and residual
 * additions, sequences that exporters write, transposes, changes of shape, padding, shared readers, outputs
 * in the middle.
 */
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed), builder_(random_.fork("elements")) {}

  GraphBuilder draw() {
    values_ = {builder_.input({1, 4, 6, 6})};
    if (random_.chance(0.5)) values_.push_back(builder_.input({1, 4, 6, 6}));
    if (random_.chance(0.5)) values_.push_back(builder_.input({3, 4}));
    if (random_.chance(0.3)) values_.push_back(builder_.constant({1, 4, 6, 6}));
    const std::size_t steps = 4 + random_.below(12);
    while (builder_.graph.nodes.size() < steps) add_something();
    for (const std::size_t value : values_)
      if (random_.chance(0.15)) add_output(value);
    add_output(values_.back());
    return builder_;
  }

 private:
  void add_output(std::size_t value) { builder_.graph.outputs.push_back(value); }
  std::size_t pick() {
    // The newest value often, so that chains grow.
    return random_.chance(0.6) ? values_.back() : values_[random_.below(values_.size())];
  }
  std::size_t rank(std::size_t value) const { return builder_.shape(value).size(); }
  std::size_t op(const std::string& operation, std::vector<std::size_t> operands,
                 std::map<std::string, graph::Attribute> attributes = {}) {
    return builder_.node(operation, std::move(operands), std::move(attributes));
  }

  void add_something() {
    const std::size_t x = pick();
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
        return values_.push_back(layer(x));
      case 3:
      case 4:
        return values_.push_back(activation(x));
      case 5:
      case 6:
        return values_.push_back(scale(x));
      case 7:
        return values_.push_back(residual(x));
      case 8:
        return values_.push_back(transposition(x));
      case 9:
        return values_.push_back(reshaped(x));
      case 10:
        return values_.push_back(pooled(x));
      default:
        return values_.push_back(normalised(x));
    }
  }

  std::size_t layer(std::size_t x) {
    const graph::Shape shape = builder_.shape(x);
    if (shape.size() == 4 && shape[2] > 1 && shape[3] > 1) {
      const bool transposed = random_.chance(0.3);
      const std::int64_t groups = shape[1] % 2 == 0 && random_.chance(0.3) ? 2 : 1;
      graph::Shape weights{4, shape[1] / groups, 3, 3};
      if (transposed) weights = {shape[1], 4 / groups, 3, 3};
      std::vector<std::size_t> operands{
          x, random_.chance(0.9) ? builder_.constant(weights) : builder_.input(weights)};
      if (random_.chance(0.4)) operands.push_back(builder_.constant({4}));
      return op(transposed ? "ConvTranspose" : "Conv", operands,
                {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}, {"group", groups}});
    }
    const std::int64_t columns = shape.back();
    if (shape.size() != 2 || random_.chance(0.5))
      return shape.size() < 2 ? x : op("MatMul", {x, builder_.constant({columns, 4})});
    const bool transposed = random_.chance(0.5);
    std::vector<std::size_t> operands{
        x, builder_.constant(transposed ? graph::Shape{4, columns} : graph::Shape{columns, 4})};
    const std::vector<graph::Shape> biases{{4}, {1, 4}, {}, {shape[0], 4}, {shape[0], 1}};
    if (random_.chance(0.7)) operands.push_back(builder_.constant(biases[random_.below(biases.size())]));
    std::map<std::string, graph::Attribute> attributes{{"transB", std::int64_t{transposed}}};
    if (random_.chance(0.3)) attributes["alpha"] = 0.5;
    if (random_.chance(0.3)) attributes["beta"] = 2.0;
    return op("Gemm", operands, attributes);
  }

  std::size_t activation(std::size_t x) {
    switch (random_.below(9)) {
      case 0:
        return op("Relu", {x});
      case 1:
        return op("Clip", {x, builder_.scalar(0), random_.chance(0.5) ? builder_.scalar(1) : graph::absent});
      case 2:
        return op("LeakyRelu", {x}, {{"alpha", 0.1}});
      case 3:
        return op("Mul", {x, op("Sigmoid", {x})});
      case 4:
        return op("Tanh", {x});
      case 5:
        return gelu(x);
      case 6:
        return gelu_tanh(x);
      case 7:
        return op("Div", {op("Mul", {x, op("Clip", {op("Add", {x, builder_.scalar(3)}), builder_.scalar(0),
                                                    builder_.scalar(6)})}),
                          builder_.scalar(6)});
      default:
        return op("HardSigmoid", {x});
    }
  }

  std::size_t gelu(std::size_t x) {
    const std::size_t erf = op("Erf", {op("Div", {x, builder_.scalar(std::sqrt(2.0))})});
    return op("Mul", {op("Mul", {x, op("Add", {erf, builder_.scalar(1)})}), builder_.scalar(0.5)});
  }
  std::size_t gelu_tanh(std::size_t x) {
    const std::size_t cube = op("Mul", {op("Pow", {x, builder_.scalar(3)}), builder_.scalar(0.044715)});
    const std::size_t inner = op("Mul", {op("Add", {x, cube}), builder_.scalar(std::sqrt(2 / M_PI))});
    return op("Mul",
              {op("Mul", {builder_.scalar(0.5), x}), op("Add", {builder_.scalar(1), op("Tanh", {inner})})});
  }

  std::size_t scale(std::size_t x) {
    const graph::Shape shape = builder_.shape(x);
    if (shape.size() < 2) return op("Neg", {x});
    if (random_.chance(0.3)) {
      const graph::Shape channels{shape[1]};
      return op("BatchNormalization", {x, builder_.constant(channels), builder_.constant(channels),
                                       builder_.constant(channels), builder_.constant(channels, 0.2, 2)});
    }
    graph::Shape operand(shape.size(), 1);
    const std::size_t axis = random_.chance(0.8) ? 1 : random_.below(shape.size());
    if (random_.chance(0.8)) operand[axis] = shape[axis];
    const std::size_t constant = builder_.constant(operand, 0.5, 1.5);
    const std::vector<std::string> operations{"Mul", "Add", "Sub", "Div"};
    const std::string& operation = operations[random_.below(4)];
    if (operation != "Div" && random_.chance(0.3)) return op(operation, {constant, x});
    return op(operation, {x, constant});
  }

  std::size_t residual(std::size_t x) {
    std::vector<std::size_t> alike;
    for (const std::size_t value : values_)
      if (builder_.shape(value) == builder_.shape(x)) alike.push_back(value);
    const std::size_t other = alike[random_.below(alike.size())];
    return random_.chance(0.5) ? op("Add", {x, other}) : op("Add", {other, x});
  }

  std::size_t transposition(std::size_t x) {
    std::vector<std::int64_t> permutation;
    for (std::size_t i = 0; i < rank(x); ++i) permutation.push_back(static_cast<std::int64_t>(i));
    if (rank(x) == 4 && random_.chance(0.8)) {
      permutation =
          random_.chance(0.5) ? std::vector<std::int64_t>{0, 2, 3, 1} : std::vector<std::int64_t>{0, 3, 1, 2};
    } else {
      random_.shuffle(std::span(permutation));
    }
    return op("Transpose", {x}, {{"perm", permutation}});
  }

  std::size_t reshaped(std::size_t x) {
    const graph::Shape shape = builder_.shape(x);
    switch (random_.below(5)) {
      case 0:
        return op("Flatten", {x}, {{"axis", std::int64_t{1}}});
      case 1:
        return op("Reshape", {x, builder_.integers(shape)});
      case 2:
        return op("Identity", {x});
      case 3:
        return shape.size() == 2 && shape[1] % 4 == 0
                   ? op("Reshape", {x, builder_.integers({shape[0], 4, shape[1] / 4, 1})})
                   : op("Dropout", {x});
      default:
        return op("Reshape", {x, op("Shape", {x})});
    }
  }

  std::size_t pooled(std::size_t x) {
    const graph::Shape shape = builder_.shape(x);
    if (shape.size() != 4 || shape[2] < 3 || shape[3] < 3) return op("Relu", {x});
    switch (random_.below(4)) {
      case 0:
        return op(
            "ReduceMean", {x},
            {{"axes", std::vector<std::int64_t>{2, 3}}, {"keepdims", std::int64_t{random_.chance(0.5)}}});
      case 1:
        return op("Conv", {op("Pad", {x, builder_.integers({0, 0, 1, 0, 0, 0, 1, 2})}),
                           builder_.constant({4, shape[1], 3, 3})});
      case 2:
        return op("MaxPool", {op("Pad", {op("Relu", {x}), builder_.integers({0, 0, 1, 1, 0, 0, 1, 1})})},
                  {{"kernel_shape", std::vector<std::int64_t>{3, 3}}});
      default:
        return op("Concat", {x, op("Relu", {x})}, {{"axis", std::int64_t{1}}});
    }
  }

  std::size_t normalised(std::size_t x) {
    const std::int64_t columns = builder_.shape(x).back();
    const std::map<std::string, graph::Attribute> last{{"axes", std::vector<std::int64_t>{-1}}};
    if (random_.chance(0.4)) return op("Softmax", {x}, {{"axis", std::int64_t{-1}}});
    const std::size_t difference = op("Sub", {x, op("ReduceMean", {x}, last)});
    const std::size_t square = op("Pow", {difference, builder_.scalar(2)});
    const std::size_t variance = op("Add", {op("ReduceMean", {square}, last), builder_.scalar(1e-2)});
    const std::size_t quotient = op("Div", {difference, op("Sqrt", {variance})});
    if (random_.chance(0.3)) return quotient;
    return op("Add", {op("Mul", {quotient, builder_.constant({columns})}), builder_.constant({columns})});
  }

  base::Random random_;
  GraphBuilder builder_;
  std::vector<std::size_t> values_;
};

}  // namespace kernelscape::testing
