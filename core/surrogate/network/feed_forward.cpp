#include "core/surrogate/network/feed_forward.h"

#include "core/surrogate/network/lane_loops.h"

namespace kernelscape::surrogate {

void apply_feed_forward(const FeedForward& layer, const float* parameters, const float* input,
                        std::size_t position, const Dropout& dropout, FeedForwardTrace& trace,
                        float* output) {
  float* hidden = trace.hidden.at(position);
  apply_linear(layer.up, parameters, {input}, hidden);
  rectify(layer.up.outputs, hidden);
  if (dropout.drops()) {
    dropout.draw(layer.up.outputs * block_rows, trace.factors.at(position));
    multiply_matrix(trace.factors.at(position), layer.up.outputs, hidden);
  }
  apply_linear(layer.down, parameters, {hidden}, output);
}

void add_feed_forward_gradient(const FeedForward& layer, const float* parameters, const float* input,
                               std::size_t position, const Dropout& dropout, const FeedForwardTrace& trace,
                               const float* output_gradient, float* hidden_gradient, float* gradient,
                               float* input_gradient) {
  const float* hidden = trace.hidden.at(position);
  add_linear_gradient(layer.down, {hidden}, output_gradient, gradient);
  linear_input_gradient(layer.down, parameters, output_gradient, hidden_gradient);
  if (dropout.drops()) multiply_matrix(trace.factors.at(position), layer.up.outputs, hidden_gradient);
  rectify_gradient(hidden, layer.up.outputs, hidden_gradient);
  add_linear_gradient(layer.up, {input}, hidden_gradient, gradient);
  linear_input_gradient(layer.up, parameters, hidden_gradient, input_gradient);
}

}  // namespace kernelscape::surrogate
