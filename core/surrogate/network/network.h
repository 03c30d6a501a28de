#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"

namespace kernelscape {

/** The networks that predict a number from a row of features. */
enum class NetworkKind : std::uint8_t {
  /** A transformer encoder over the loops of a kernel, its task and its knobs. Layers normalize what their
   * halves read; the last tokens of task and knobs and the mean of the loops' are read out linearly. */
  Tokens,
  /** The published code's: an encoder over a sequence of one element, which is the whole row. Attention gives
   * it all weight, so heads, queries and keys have no say and no gradient: they are left out. */
  OneShot,
  Perceptron  ///< two hidden layers of rectified linear units
};

/**
 * How a row holds tokens: the number of loops (1 to `loops`, any other is taken for the nearest), then
 * `loops` times `loop_columns` numbers of which those after the number are ignored, then the task's numbers,
 * then the knobs'.
 */
struct TokenLayout {
  std::size_t loops = 0;  ///< most
  std::size_t loop_columns = 0;
  std::size_t task_columns = 0;
  std::size_t knob_columns = 0;

  /** Numbers of a row. */
  std::size_t columns() const { return 1 + loops * loop_columns + task_columns + knob_columns; }
  bool operator==(const TokenLayout&) const = default;
};

/** Sizes of a network, each at least 1; those that its kind has no use for are 0. */
struct NetworkShape {
  NetworkKind kind = NetworkKind::Tokens;
  std::size_t columns = 0;       ///< of a row
  TokenLayout tokens = {};       ///< of Tokens
  std::size_t width = 0;         ///< of a token; of a hidden layer of a perceptron; of OneShot: as `columns`
  std::size_t layers = 0;        ///< encoder layers
  std::size_t heads = 0;         ///< of attention; they divide the width
  std::size_t feed_forward = 0;  ///< hidden units of an encoder layer's second half

  bool operator==(const NetworkShape&) const = default;
};

/** What a training pass draws and needs beside rows and labels. */
struct TrainingPass {
  double dropout = 0;  ///< share of activations that are zeroed, below 1; a perceptron's: of hidden units
  Random random{0};    ///< which of them
};

/**
 * A network of 32-bit numbers on oneDNN's matrix multiplication (Eigen's where that is not there), in the
 * calling thread alone. Its parameters are one array, so that optimizers, files and tests of gradients need
 * to know nothing of its layers.
 */
class NeuralNetwork {
 public:
  /** How many numbers a network of this shape has. InvalidArgument: sizes that do not fit each other, or
   * that would take over 256 MiB of parameters or of what a block of rows needs. */
  static Result<std::size_t> parameter_count(const NetworkShape& shape);

  /** Initial weights as PyTorch draws them. Errors: as parameter_count(). */
  static Result<NeuralNetwork> make(const NetworkShape& shape, Random random);
  /** With these parameters: parameter_count() finite numbers, else InvalidArgument. */
  static Result<NeuralNetwork> from_parameters(const NetworkShape& shape, std::vector<float> parameters);

  const NetworkShape& shape() const { return shape_; }               ///< as it was made
  std::span<float> parameters() { return parameters_; }              ///< of all layers, in a fixed order
  std::span<const float> parameters() const { return parameters_; }  ///< the same, to read

  /**
   * One value per row. Rows are computed in blocks of a fixed size, the last one filled up, so that a row's
   * value depends on nothing else. Any thread may ask.
   * @param rows values.size() * shape().columns numbers, one row after the other
   */
  void predict(std::span<const float> rows, std::span<float> values) const;

  /**
   * Adds the derivatives of sum (value - label)^2 to `gradient`. Any thread may ask.
   * @param gradient parameters().size() numbers
   * @return that sum, with the dropout that was drawn
   */
  double add_gradient(std::span<const float> rows, std::span<const float> labels, TrainingPass& pass,
                      std::span<float> gradient) const;

 private:
  NeuralNetwork(const NetworkShape& shape, std::vector<float> parameters)
      : shape_(shape), parameters_(std::move(parameters)) {}

  NetworkShape shape_;
  std::vector<float> parameters_;
};

}  // namespace kernelscape
