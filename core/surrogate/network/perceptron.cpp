#include <array>
#include <cmath>

#include "core/surrogate/network/lane_loops.h"
#include "core/surrogate/network/network_pass.h"

namespace kernelscape::surrogate {
namespace {

struct PerceptronLayers {
  explicit PerceptronLayers(const NetworkShape& shape) {
    hidden[0] = list.add_linear(shape.columns, shape.width);
    hidden[1] = list.add_linear(shape.width, shape.width);
    read_out = list.add_linear(shape.width, 1);
  }

  ParameterList list;
  std::array<Linear, 2> hidden;
  Linear read_out;
};

class PerceptronPass : public NetworkPass {
 public:
  explicit PerceptronPass(const PassSetup& setup)
      : parameters_(setup.parameters),
        columns_(setup.shape.columns),
        layers_(setup.shape),
        numbers_{FloatBuffer(size()), FloatBuffer(size())},
        factors_{FloatBuffer(setup.has_gradient ? size() : 0), FloatBuffer(setup.has_gradient ? size() : 0)},
        gradient_(setup.has_gradient ? size() : 0),
        previous_gradient_(setup.has_gradient ? size() : 0) {}

  void forward(float* rows, const Dropout& dropout, float* values) override {
    rows_ = rows;
    for (std::size_t i = 0; i < layers_.hidden.size(); ++i) {
      apply_linear(layers_.hidden[i], parameters_, input(i), numbers_[i].data());
      rectify(width(), numbers_[i].data());
      if (!dropout.drops()) continue;
      dropout.draw(size(), factors_[i].data());
      multiply_matrix(factors_[i].data(), width(), numbers_[i].data());
    }
    fill_with_biases(parameters_ + layers_.read_out.biases, 1, values);
    add_weighted_rows(numbers_[1].data(), parameters_ + layers_.read_out.weights, width(), values);
  }

  void backward(const Dropout& dropout, const float* value_gradient, float* gradient) override {
    add_row_sums(value_gradient, 1, gradient + layers_.read_out.biases);
    weighted_rows_gradient(numbers_[1].data(), parameters_ + layers_.read_out.weights, value_gradient,
                           width(), gradient + layers_.read_out.weights, gradient_.data());
    for (std::size_t i = layers_.hidden.size(); i-- > 0;) {
      if (dropout.drops()) multiply_matrix(factors_[i].data(), width(), gradient_.data());
      rectify_gradient(numbers_[i].data(), width(), gradient_.data());
      add_linear_gradient(layers_.hidden[i], input(i), gradient_.data(), gradient);
      if (i == 0) return;
      linear_input_gradient(layers_.hidden[i], parameters_, gradient_.data(), previous_gradient_.data());
      std::swap(gradient_, previous_gradient_);
    }
  }

 private:
  std::size_t width() const { return layers_.read_out.inputs; }
  std::size_t size() const { return width() * block_rows; }
  LinearInput input(std::size_t layer) const {
    return layer == 0 ? LinearInput{rows_, true, columns_} : LinearInput{numbers_[layer - 1].data()};
  }

  const float* parameters_;
  std::size_t columns_;
  PerceptronLayers layers_;
  const float* rows_ = nullptr;
  std::array<FloatBuffer, 2> numbers_;  ///< of the hidden layers
  std::array<FloatBuffer, 2> factors_;  ///< dropout factors
  FloatBuffer gradient_;                ///< by the numbers of a hidden layer
  FloatBuffer previous_gradient_;       ///< by the numbers of the previous layer
};

}  // namespace

const NetworkKindFunctions perceptron{
    [](const NetworkShape& shape) { return shape.columns + 6 * shape.width; },
    [](const NetworkShape& shape) { return PerceptronLayers(shape).list; },
    [](const PassSetup& setup) -> std::unique_ptr<NetworkPass> {
      return std::make_unique<PerceptronPass>(setup);
    }};

}  // namespace kernelscape::surrogate
