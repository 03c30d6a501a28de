#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"

namespace kernelscape::surrogate {

/** The networks that predict a number from a row of features. */
enum class NetworkKind : std::uint8_t {
  /**
   * A transformer encoder over the loops of a kernel, its task and its knobs. Layers normalize the inputs of
   * their halves. A linear layer computes the value from the final tokens of task and knobs and the mean of
   * the loops' tokens.
   */
  Tokens,
  /**
   * The network of the published code: an encoder over a sequence of one element, the whole row. Attention
   * gives this element all weight, so queries and keys have no effect and no gradient, and are left out.
   * Heads only have an effect in training, where dropout of attention drops whole heads.
   */
  OneShot,
  Perceptron,  ///< two hidden layers of rectified linear units
  /**
   * The published code's alternative: layers of long short-term memory over a sequence of one element, the
   * whole row, then a linear layer. The state before the first element is 0, so recurrent weights and forget
   * gates have no effect and no gradient, and are left out. Both biases of a gate are kept, since an
   * optimizer moves each of them.
   */
  Lstm
};

/**
 * The layout of tokens in a row: the number of loops (1 to `loops`, any other is rounded to the nearest),
 * then `loops` times `loop_columns` numbers of which those beyond the number of loops are ignored, then the
 * task's numbers, then the knobs'.
 */
struct TokenLayout {
  std::size_t loops = 0;  ///< maximum number of loops
  std::size_t loop_columns = 0;
  std::size_t task_columns = 0;
  std::size_t knob_columns = 0;

  /** Returns the length of a row. */
  std::size_t columns() const { return 1 + loops * loop_columns + task_columns + knob_columns; }
  bool operator==(const TokenLayout&) const = default;
};

/** Sizes of a network, each at least 1; sizes that its kind does not use are 0. */
struct NetworkShape {
  NetworkKind kind = NetworkKind::Tokens;
  std::size_t columns = 0;  ///< length of a row
  TokenLayout tokens = {};  ///< for Tokens
  /** Width of a token; of a hidden layer of a perceptron or Lstm; for OneShot: equal to `columns`. */
  std::size_t width = 0;
  std::size_t layers = 0;  ///< encoder layers, or layers of Lstm
  /** Heads of attention; must divide the width. For OneShot, 0 means that attention has no dropout. */
  std::size_t heads = 0;
  std::size_t feed_forward = 0;  ///< hidden units of an encoder layer's second half

  bool operator==(const NetworkShape&) const = default;
};

/** The random draws of a training pass. */
struct TrainingPass {
  /** Share of activations that are zeroed, below 1; for a perceptron and Lstm: of hidden units. */
  double dropout = 0;
  base::Random random{0};  ///< draws which activations are zeroed
};

/**
 * A network of 32-bit numbers on oneDNN's matrix multiplication (Eigen's if oneDNN is not available), in the
 * calling thread only. Its parameters are one array, so that optimizers, files and gradient tests do not
 * depend on its layers.
 */
class NeuralNetwork {
 public:
  /**
   * Returns the number of parameters of a network of this shape. Returns InvalidArgument for sizes that do
   * not fit each other, or that would need over 256 MiB for the parameters or for a block of rows.
   */
  static Result<std::size_t> parameter_count(const NetworkShape& shape);

  /**
   * Creates a network with initial weights as PyTorch draws them. Returns the errors of parameter_count().
   */
  static Result<NeuralNetwork> make(const NetworkShape& shape, base::Random random);
  /**
   * Creates a network with these parameters. Returns InvalidArgument unless they are parameter_count() finite
   * numbers.
   */
  static Result<NeuralNetwork> from_parameters(const NetworkShape& shape, std::vector<float> parameters);

  const NetworkShape& shape() const { return shape_; }   ///< shape with which it was created
  std::span<float> parameters() { return parameters_; }  ///< parameters of all layers, in a fixed order
  std::span<const float> parameters() const { return parameters_; }  ///< read-only access

  /**
   * Computes one value per row. Rows are computed in blocks of a fixed size, with the last one padded, so
   * that a row's value depends on nothing else. May be called from any thread.
   * @param rows values.size() * shape().columns numbers, one row after the other
   */
  void predict(std::span<const float> rows, std::span<float> values) const;

  /**
   * Adds the derivatives of sum (value - label)^2 to `gradient`. May be called from any thread.
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

}  // namespace kernelscape::surrogate
