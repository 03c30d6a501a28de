#include <algorithm>
#include <vector>

#include "core/surrogate/network/lane_loops.h"
#include "core/surrogate/network/network_pass.h"

namespace kernelscape::surrogate {
namespace {

/**
 * An encoder layer of PyTorch for a sequence of one element, to which attention gives all weight: the result
 * is its value, whatever its query and key. Norms follow the halves.
 */
struct SingleElementLayer {
  std::size_t heads = 0;  ///< 0: attention has no dropout
  Linear value;
  Linear merge;
  Norm attention_norm;
  FeedForward feed_forward;
  Norm feed_forward_norm;
};

struct OneShotLayers {
  explicit OneShotLayers(const NetworkShape& shape) {
    for (std::size_t i = 0; i < shape.layers; ++i) {
      SingleElementLayer layer;
      layer.heads = shape.heads;
      layer.value = list.add_linear(shape.width, shape.width, projection_bound(shape.width));
      layer.merge = list.add_linear(shape.width, shape.width, linear_bound(shape.width));
      layer.attention_norm = list.add_norm(shape.width);
      layer.feed_forward = list.add_feed_forward(shape.width, shape.feed_forward);
      layer.feed_forward_norm = list.add_norm(shape.width);
      layers.push_back(layer);
    }
    read_out = list.add_linear(shape.width, 1);
  }

  ParameterList list;
  std::vector<SingleElementLayer> layers;
  Linear read_out;
};

/**
 * Intermediate results of a layer's pass that the gradient needs. Without a gradient, all layers share one
 * trace.
 */
struct SingleElementTrace {
  SingleElementTrace(const SingleElementLayer& layer, bool kept)
      : input(layer.value.inputs * block_rows),
        value(input.size()),
        attention_normalized(input.size()),
        attention_deviations(block_rows),
        middle(input.size()),
        feed_forward(layer.feed_forward, 1, kept),
        feed_forward_normalized(input.size()),
        feed_forward_deviations(block_rows),
        head_factors(kept ? layer.heads * block_rows : 0),
        attention_factors(kept ? input.size() : 0),
        feed_forward_factors(kept ? input.size() : 0) {}

  NormTrace attention_norm() { return {attention_normalized.data(), attention_deviations.data()}; }
  NormTrace feed_forward_norm() { return {feed_forward_normalized.data(), feed_forward_deviations.data()}; }

  FloatBuffer input;
  FloatBuffer value;
  FloatBuffer attention_normalized;
  FloatBuffer attention_deviations;
  FloatBuffer middle;  ///< between the halves
  FeedForwardTrace feed_forward;
  FloatBuffer feed_forward_normalized;
  FloatBuffer feed_forward_deviations;
  FloatBuffer head_factors;          ///< dropout factors of the attention of each head
  FloatBuffer attention_factors;     ///< dropout factors
  FloatBuffer feed_forward_factors;  ///< dropout factors
};

/** Multiplies the values of each head by its factors, for dropout of attention. */
void multiply_heads(const SingleElementLayer& layer, const FloatBuffer& head_factors, float* values) {
  const std::size_t head_width = layer.value.outputs / layer.heads;
  for (std::size_t feature = 0; feature < layer.value.outputs; ++feature)
    multiply_matrix(head_factors.data() + feature / head_width * block_rows, 1,
                    values + feature * block_rows);
}

class OneShotPass : public NetworkPass {
 public:
  explicit OneShotPass(const PassSetup& setup)
      : parameters_(setup.parameters),
        layers_(setup.shape),
        width_(setup.shape.width),
        state_(width_ * block_rows),
        change_(width_ * block_rows),
        state_gradient_(setup.has_gradient ? width_ * block_rows : 0),
        sum_gradient_(setup.has_gradient ? width_ * block_rows : 0),
        hidden_gradient_(setup.has_gradient ? setup.shape.feed_forward * block_rows : 0) {
    const std::size_t traces = setup.has_gradient ? setup.shape.layers : 1;
    for (std::size_t i = 0; i < traces; ++i) traces_.emplace_back(layers_.layers[i], setup.has_gradient);
  }

  void forward(float* rows, const Dropout& dropout, float* values) override {
    for (std::size_t row = 0; row < block_rows; ++row) {
      for (std::size_t feature = 0; feature < width_; ++feature)
        state_.data()[feature * block_rows + row] = rows[row * width_ + feature];
    }
    for (std::size_t i = 0; i < layers_.layers.size(); ++i)
      forward(layers_.layers[i], dropout, traces_[std::min(i, traces_.size() - 1)]);
    fill_with_biases(parameters_ + layers_.read_out.biases, 1, values);
    add_weighted_rows(state_.data(), parameters_ + layers_.read_out.weights, width_, values);
  }

  void backward(const Dropout& dropout, const float* value_gradient, float* gradient) override {
    add_row_sums(value_gradient, 1, gradient + layers_.read_out.biases);
    weighted_rows_gradient(state_.data(), parameters_ + layers_.read_out.weights, value_gradient, width_,
                           gradient + layers_.read_out.weights, state_gradient_.data());
    for (std::size_t i = layers_.layers.size(); i-- > 0;)
      backward(layers_.layers[i], dropout, traces_[i], gradient);
  }

 private:
  static bool drops_heads(const SingleElementLayer& layer, const Dropout& dropout) {
    return dropout.drops() && layer.heads > 0;
  }

  void forward(const SingleElementLayer& layer, const Dropout& dropout, SingleElementTrace& trace) {
    const auto add_change = [&](FloatBuffer& factors) {
      if (dropout.drops()) {
        dropout.draw(width_ * block_rows, factors.data());
        multiply_matrix(factors.data(), width_, change_.data());
      }
      add_matrix(change_.data(), width_, state_.data());
    };
    std::copy_n(state_.data(), width_ * block_rows, trace.input.data());
    apply_linear(layer.value, parameters_, {trace.input.data()}, trace.value.data());
    if (drops_heads(layer, dropout)) {
      dropout.draw(layer.heads * block_rows, trace.head_factors.data());
      multiply_heads(layer, trace.head_factors, trace.value.data());
    }
    apply_linear(layer.merge, parameters_, {trace.value.data()}, change_.data());
    add_change(trace.attention_factors);
    apply_norm(layer.attention_norm, parameters_, state_.data(), trace.attention_norm(), state_.data());
    std::copy_n(state_.data(), width_ * block_rows, trace.middle.data());
    apply_feed_forward(layer.feed_forward, parameters_, trace.middle.data(), 0, dropout, trace.feed_forward,
                       change_.data());
    add_change(trace.feed_forward_factors);
    apply_norm(layer.feed_forward_norm, parameters_, state_.data(), trace.feed_forward_norm(), state_.data());
  }

  /** Replaces state_gradient_ by the layer's outputs with that by its inputs. */
  void backward(const SingleElementLayer& layer, const Dropout& dropout, SingleElementTrace& trace,
                float* gradient) {
    // The input of a norm is a sum: its gradient flows to the previous state and, through change_, to the
    // added term.
    const auto through_norm = [&](const Norm& norm, const NormTrace& norm_trace, const FloatBuffer& factors) {
      std::fill_n(sum_gradient_.data(), sum_gradient_.size(), 0.0F);
      add_norm_gradient(norm, parameters_, norm_trace, state_gradient_.data(), gradient,
                        sum_gradient_.data());
      std::copy_n(sum_gradient_.data(), sum_gradient_.size(), change_.data());
      if (dropout.drops()) multiply_matrix(factors.data(), width_, change_.data());
    };
    through_norm(layer.feed_forward_norm, trace.feed_forward_norm(), trace.feed_forward_factors);
    add_feed_forward_gradient(layer.feed_forward, parameters_, trace.middle.data(), 0, dropout,
                              trace.feed_forward, change_.data(), hidden_gradient_.data(), gradient,
                              state_gradient_.data());
    add_matrix(sum_gradient_.data(), width_, state_gradient_.data());
    through_norm(layer.attention_norm, trace.attention_norm(), trace.attention_factors);
    add_linear_gradient(layer.merge, {trace.value.data()}, change_.data(), gradient);
    linear_input_gradient(layer.merge, parameters_, change_.data(), state_gradient_.data());
    if (drops_heads(layer, dropout)) multiply_heads(layer, trace.head_factors, state_gradient_.data());
    add_linear_gradient(layer.value, {trace.input.data()}, state_gradient_.data(), gradient);
    linear_input_gradient(layer.value, parameters_, state_gradient_.data(), change_.data());
    std::copy_n(sum_gradient_.data(), sum_gradient_.size(), state_gradient_.data());
    add_matrix(change_.data(), width_, state_gradient_.data());
  }

  const float* parameters_;
  OneShotLayers layers_;
  std::size_t width_;
  std::vector<SingleElementTrace> traces_;
  FloatBuffer state_;
  FloatBuffer change_;  ///< the change that a half adds to the state; in the gradient, its gradient
  FloatBuffer state_gradient_;
  FloatBuffer sum_gradient_;
  FloatBuffer hidden_gradient_;
};

}  // namespace

const NetworkKindFunctions one_shot_network{
    [](const NetworkShape& shape) {
      return 5 * shape.width + shape.layers * (7 * shape.width + shape.heads + 2 * shape.feed_forward);
    },
    [](const NetworkShape& shape) { return OneShotLayers(shape).list; },
    [](const PassSetup& setup) -> std::unique_ptr<NetworkPass> {
      return std::make_unique<OneShotPass>(setup);
    }};

}  // namespace kernelscape::surrogate
