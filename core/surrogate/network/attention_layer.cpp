#include "core/surrogate/network/attention_layer.h"

#include <algorithm>

#include "core/surrogate/network/lane_loops.h"

namespace kernelscape::surrogate {
namespace {

AttentionSize attention_size(const AttentionLayer& layer, std::size_t positions) {
  return {positions, layer.heads, layer.width() / layer.heads};
}

}  // namespace

AttentionTrace::AttentionTrace(const AttentionLayer& layer, std::size_t positions, bool kept)
    : kept_(kept),
      attention_input_(positions, layer.width(), kept),
      projected_(positions, layer.project.outputs),
      weights_(kept ? attention_size(layer, positions).weights() : 0),
      attended_(positions, layer.width()),
      attention_factors_(kept ? positions : 1, kept ? layer.width() : 0),
      feed_forward_input_(positions, layer.width(), kept),
      feed_forward_(layer.feed_forward, positions, kept),
      feed_forward_factors_(kept ? positions : 1, kept ? layer.width() : 0) {}

AttentionPass::AttentionPass(const AttentionLayer& layer, std::size_t positions, bool has_gradient)
    : change_(layer.width() * block_rows),
      input_gradient_(has_gradient ? layer.width() * block_rows : 0),
      hidden_gradient_(has_gradient ? layer.feed_forward.up.outputs * block_rows : 0),
      attended_gradient_(has_gradient ? positions : 1, has_gradient ? layer.width() : 0),
      projected_gradient_(has_gradient ? positions : 1, has_gradient ? layer.project.outputs : 0) {}

void AttentionPass::forward(const AttentionLayer& layer, const float* parameters, std::size_t positions,
                            const float* present, const Dropout& dropout, AttentionTrace& trace,
                            PositionMatrices& states) {
  const std::size_t width = layer.width();
  const auto add_change = [&](std::size_t position, PositionMatrices& factors) {
    if (dropout.drops()) {
      dropout.draw(width * block_rows, factors.at(position));
      multiply_matrix(factors.at(position), width, change_.data());
    }
    add_matrix(change_.data(), width, states.at(position));
  };
  for (std::size_t position = 0; position < positions; ++position) {
    float* input = trace.attention_input_.output.at(position);
    apply_norm(layer.attention_norm, parameters, states.at(position), trace.attention_input_.at(position),
               input);
    apply_linear(layer.project, parameters, {input}, trace.projected_.at(position));
  }
  attend(attention_size(layer, positions), trace.projected_, present,
         trace.kept_ ? trace.weights_.data() : nullptr, trace.attended_);
  for (std::size_t position = 0; position < positions; ++position) {
    apply_linear(layer.merge, parameters, {trace.attended_.at(position)}, change_.data());
    add_change(position, trace.attention_factors_);
    float* input = trace.feed_forward_input_.output.at(position);
    apply_norm(layer.feed_forward_norm, parameters, states.at(position),
               trace.feed_forward_input_.at(position), input);
    apply_feed_forward(layer.feed_forward, parameters, input, position, dropout, trace.feed_forward_,
                       change_.data());
    add_change(position, trace.feed_forward_factors_);
  }
}

void AttentionPass::backward(const AttentionLayer& layer, const float* parameters, std::size_t positions,
                             const Dropout& dropout, AttentionTrace& trace, PositionMatrices& state_gradient,
                             float* gradient) {
  const std::size_t width = layer.width();
  const auto take_change = [&](std::size_t position, const PositionMatrices& factors) {
    std::copy_n(state_gradient.at(position), width * block_rows, change_.data());
    if (dropout.drops()) multiply_matrix(factors.at(position), width, change_.data());
  };
  for (std::size_t position = 0; position < positions; ++position) {
    take_change(position, trace.feed_forward_factors_);
    add_feed_forward_gradient(layer.feed_forward, parameters, trace.feed_forward_input_.output.at(position),
                              position, dropout, trace.feed_forward_, change_.data(), hidden_gradient_.data(),
                              gradient, input_gradient_.data());
    add_norm_gradient(layer.feed_forward_norm, parameters, trace.feed_forward_input_.at(position),
                      input_gradient_.data(), gradient, state_gradient.at(position));
    take_change(position, trace.attention_factors_);
    add_linear_gradient(layer.merge, {trace.attended_.at(position)}, change_.data(), gradient);
    linear_input_gradient(layer.merge, parameters, change_.data(), attended_gradient_.at(position));
  }
  attend_gradient(attention_size(layer, positions), trace.projected_, trace.weights_.data(),
                  attended_gradient_, projected_gradient_);
  for (std::size_t position = 0; position < positions; ++position) {
    const float* projected = projected_gradient_.at(position);
    add_linear_gradient(layer.project, {trace.attention_input_.output.at(position)}, projected, gradient);
    linear_input_gradient(layer.project, parameters, projected, input_gradient_.data());
    add_norm_gradient(layer.attention_norm, parameters, trace.attention_input_.at(position),
                      input_gradient_.data(), gradient, state_gradient.at(position));
  }
}

}  // namespace kernelscape::surrogate
