#pragma once

#include <cstddef>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/network/attention_layer.h"
#include "core/surrogate/network/feed_forward.h"
#include "core/surrogate/network/linear.h"

namespace kernelscape::surrogate {

/** Assigns positions among the network's parameters to its layers, and draws their initial values. */
class ParameterList {
 public:
  std::size_t count() const { return count_; }  ///< number of parameters so far

  /** Adds a linear layer. Weights and biases start uniform within 1 / sqrt(inputs), as PyTorch's. */
  Linear add_linear(std::size_t inputs, std::size_t outputs);
  /** Adds a linear layer of attention: weights start uniform within the bound, biases at 0, as PyTorch's. */
  Linear add_linear(std::size_t inputs, std::size_t outputs, double bound);
  /** Adds a normalization. Scales start at 1, shifts at 0. */
  Norm add_norm(std::size_t features);
  /** Adds two linear layers with the initial values of add_linear(). */
  FeedForward add_feed_forward(std::size_t width, std::size_t hidden);
  /** Adds a layer of an encoder: attention, feed-forward, and a norm before each. */
  AttentionLayer add_attention_layer(std::size_t width, std::size_t heads, std::size_t hidden);
  /** Adds numbers that start uniform within the bound. @return the position of the first */
  std::size_t add_uniform(std::size_t count, double bound);

  std::vector<float> draw(base::Random random) const;  ///< draws the initial values

 private:
  struct Part {
    std::size_t count;
    double middle;
    double bound;
  };

  std::size_t add(const Part& part);

  std::size_t count_ = 0;
  std::vector<Part> parts_;
};

/**
 * Returns PyTorch's bound of the initial weights of attention's queries, keys and values, of which a layer
 * may have a part (Glorot and Bengio 2010).
 */
double projection_bound(std::size_t width);
/** Returns PyTorch's bound of a linear layer's initial parameters. */
double linear_bound(std::size_t inputs);

}  // namespace kernelscape::surrogate
