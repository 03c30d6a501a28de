#pragma once

#include <cstddef>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/network/attention_layer.h"
#include "core/surrogate/network/feed_forward.h"
#include "core/surrogate/network/linear.h"

namespace kernelscape {

/** Gives the layers of a network their places among its parameters, and these what they start with. */
class ParameterList {
 public:
  std::size_t count() const { return count_; }  ///< of the numbers so far

  /** Weights and biases start uniform within 1 / sqrt(inputs), as PyTorch's. */
  Linear add_linear(std::size_t inputs, std::size_t outputs);
  /** The linear layers of attention: weights uniform within the bound, no biases at first, as PyTorch's. */
  Linear add_linear(std::size_t inputs, std::size_t outputs, double bound);
  /** Scales start at 1, shifts at 0. */
  Norm add_norm(std::size_t features);
  /** Two linear layers, as add_linear() starts them. */
  FeedForward add_feed_forward(std::size_t width, std::size_t hidden);
  /** A layer of an encoder: attention, feed-forward, and a norm before each. */
  AttentionLayer add_attention_layer(std::size_t width, std::size_t heads, std::size_t hidden);
  /** Numbers that start uniform within the bound. @return the place of the first */
  std::size_t add_uniform(std::size_t count, double bound);

  std::vector<float> draw(Random random) const;  ///< what they start with

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

/** What PyTorch draws within the weights of attention's queries, keys and values, of which a layer may have a
 * part (Glorot and Bengio 2010). */
double projection_bound(std::size_t width);
/** What PyTorch draws a linear layer's parameters within. */
double linear_bound(std::size_t inputs);

}  // namespace kernelscape
