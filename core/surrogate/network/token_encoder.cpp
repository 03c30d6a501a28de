#include <algorithm>
#include <cmath>
#include <vector>

#include "core/surrogate/network/attention_layer.h"
#include "core/surrogate/network/lane_loops.h"
#include "core/surrogate/network/network_pass.h"

namespace kernelscape::surrogate {
namespace {

/** Positions of a sequence: the task, the knobs, then the loops, of which rows have different numbers. */
constexpr std::size_t first_loop = 2;

/** Returns the number of loops of a row: its first number, which a damaged file may have changed. */
std::size_t loop_count(float number, std::size_t most) {
  if (!(number >= 1)) return 1;
  return number >= static_cast<float>(most) ? most : static_cast<std::size_t>(number);
}

struct TokenEncoderLayers {
  explicit TokenEncoderLayers(const NetworkShape& shape) {
    const TokenLayout& tokens = shape.tokens;
    task = list.add_linear(tokens.task_columns, shape.width);
    knobs = list.add_linear(tokens.knob_columns, shape.width);
    loop = list.add_linear(tokens.loop_columns, shape.width);
    // Initialized like the weights of a linear layer whose input is a one-hot encoding of the position.
    places = list.add_uniform(tokens.loops * shape.width, linear_bound(tokens.loops));
    for (std::size_t i = 0; i < shape.layers; ++i)
      layers.push_back(list.add_attention_layer(shape.width, shape.heads, shape.feed_forward));
    last_norm = list.add_norm(shape.width);
    read_out = list.add_linear(3 * shape.width, 1);
  }

  ParameterList list;
  Linear task;
  Linear knobs;
  Linear loop;
  std::size_t places =
      0;  ///< position of the first loop's position vector, which is followed by those of the other loops
  std::vector<AttentionLayer> layers;
  Norm last_norm;
  Linear read_out;  ///< reads the tokens of task and knobs, and the mean of the loops' tokens
};

class TokenEncoderPass : public NetworkPass {
 public:
  explicit TokenEncoderPass(const PassSetup& setup)
      : parameters_(setup.parameters),
        shape_(setup.shape),
        layers_(setup.shape),
        present_(max_positions() * block_rows),
        shares_(max_positions() * block_rows),
        states_(max_positions(), width()),
        pass_(layers_.layers.front(), max_positions(), setup.has_gradient),
        normalized_(max_positions(), width(), !setup.has_gradient),
        inverse_deviations_(max_positions(), 1, !setup.has_gradient),
        summary_(3 * width() * block_rows),
        summary_gradient_(setup.has_gradient ? 3 * width() * block_rows : 0),
        state_gradient_(setup.has_gradient ? max_positions() : 1, setup.has_gradient ? width() : 0),
        token_(width() * block_rows) {
    const std::size_t traces = setup.has_gradient ? shape_.layers : 1;
    for (std::size_t i = 0; i < traces; ++i)
      traces_.emplace_back(layers_.layers[i], max_positions(), setup.has_gradient);
  }

  void forward(float* rows, const Dropout& dropout, float* values) override {
    rows_ = rows;
    find_loops(rows);
    for (std::size_t position = 0; position < positions_; ++position) {
      apply_linear(embedding(position), parameters_, input(position), states_.at(position));
      if (position >= first_loop) add_place(position);
    }
    for (std::size_t i = 0; i < layers_.layers.size(); ++i) {
      pass_.forward(layers_.layers[i], parameters_, positions_, present_.data(), dropout, trace(i), states_);
    }
    std::fill_n(summary_.data(), summary_.size(), 0.0F);
    for (std::size_t position = 0; position < positions_; ++position) {
      apply_norm(layers_.last_norm, parameters_, states_.at(position), norm_trace(position), token_.data());
      add_scaled_columns(token_.data(), shares_.data() + position * block_rows, width(),
                         part(summary_, position));
    }
    fill_with_biases(parameters_ + layers_.read_out.biases, 1, values);
    add_weighted_rows(summary_.data(), parameters_ + layers_.read_out.weights, 3 * width(), values);
  }

  void backward(const Dropout& dropout, const float* value_gradient, float* gradient) override {
    add_row_sums(value_gradient, 1, gradient + layers_.read_out.biases);
    weighted_rows_gradient(summary_.data(), parameters_ + layers_.read_out.weights, value_gradient,
                           3 * width(), gradient + layers_.read_out.weights, summary_gradient_.data());
    for (std::size_t position = 0; position < positions_; ++position) {
      std::fill_n(token_.data(), token_.size(), 0.0F);
      add_scaled_columns(part(summary_gradient_, position), shares_.data() + position * block_rows, width(),
                         token_.data());
      std::fill_n(state_gradient_.at(position), width() * block_rows, 0.0F);
      add_norm_gradient(layers_.last_norm, parameters_, norm_trace(position), token_.data(), gradient,
                        state_gradient_.at(position));
    }
    for (std::size_t i = layers_.layers.size(); i-- > 0;) {
      pass_.backward(layers_.layers[i], parameters_, positions_, dropout, trace(i), state_gradient_,
                     gradient);
    }
    for (std::size_t position = 0; position < positions_; ++position) {
      const float* state_gradient = state_gradient_.at(position);
      add_linear_gradient(embedding(position), input(position), state_gradient, gradient);
      if (position >= first_loop) add_row_sums(state_gradient, width(), gradient + place(position));
    }
  }

 private:
  std::size_t width() const { return shape_.width; }
  std::size_t max_positions() const { return first_loop + shape_.tokens.loops; }

  AttentionTrace& trace(std::size_t layer) { return traces_[std::min(layer, traces_.size() - 1)]; }
  NormTrace norm_trace(std::size_t position) {
    return {normalized_.at(position), inverse_deviations_.at(position)};
  }

  const Linear& embedding(std::size_t position) const {
    return position == 0 ? layers_.task : position == 1 ? layers_.knobs : layers_.loop;
  }
  /** Returns the column of a row at which a position's token starts. */
  std::size_t column(std::size_t position) const {
    const TokenLayout& tokens = shape_.tokens;
    if (position >= first_loop) return 1 + (position - first_loop) * tokens.loop_columns;
    return 1 + tokens.loops * tokens.loop_columns + (position == 1 ? tokens.task_columns : 0);
  }
  LinearInput input(std::size_t position) const { return {rows_ + column(position), true, shape_.columns}; }

  std::size_t place(std::size_t position) const { return layers_.places + (position - first_loop) * width(); }
  void add_place(std::size_t position) {
    fill_with_biases(parameters_ + place(position), width(), token_.data());
    add_matrix(token_.data(), width(), states_.at(position));
  }

  /** Returns the part of a summary to which a position contributes. */
  float* part(FloatBuffer& summary, std::size_t position) const {
    return summary.data() + std::min(position, first_loop) * width() * block_rows;
  }

  /**
   * Determines the positions of each row, and the share of each in its part of the summary. Sets the numbers
   * of missing loops to 0, so that they are finite.
   */
  void find_loops(float* rows) {
    positions_ = 0;
    std::fill_n(present_.data(), present_.size(), 0.0F);
    std::fill_n(shares_.data(), shares_.size(), 0.0F);
    for (std::size_t row = 0; row < block_rows; ++row) {
      float* numbers = rows + row * shape_.columns;
      const std::size_t loops = loop_count(numbers[0], shape_.tokens.loops);
      positions_ = std::max(positions_, first_loop + loops);
      for (std::size_t position = 0; position < first_loop + loops; ++position) {
        const std::size_t number = position * block_rows + row;
        present_.data()[number] = 1;
        shares_.data()[number] = position < first_loop ? 1 : 1 / static_cast<float>(loops);
      }
      const std::size_t end = 1 + shape_.tokens.loops * shape_.tokens.loop_columns;
      std::fill(numbers + 1 + loops * shape_.tokens.loop_columns, numbers + end, 0.0F);
    }
  }

  const float* parameters_;
  NetworkShape shape_;
  TokenEncoderLayers layers_;
  const float* rows_ = nullptr;
  std::size_t positions_ = 0;  ///< maximum over the rows
  FloatBuffer present_;        ///< 1 or 0 by position and row
  FloatBuffer shares_;         ///< share of its part of the summary, by position and row
  PositionMatrices states_;
  AttentionPass pass_;
  std::vector<AttentionTrace> traces_;
  PositionMatrices normalized_;  ///< output of the last norm
  PositionMatrices inverse_deviations_;
  FloatBuffer summary_;  ///< input of the read-out
  FloatBuffer summary_gradient_;
  PositionMatrices state_gradient_;
  FloatBuffer token_;  ///< of the current position
};

}  // namespace

const NetworkKindFunctions token_encoder{
    [](const NetworkShape& shape) {
      const std::size_t positions = first_loop + shape.tokens.loops;
      const std::size_t layer =
          positions * (10 * shape.width + 2 * shape.feed_forward + shape.heads * positions);
      return shape.columns + positions * (8 * shape.width + 4) + shape.layers * layer;
    },
    [](const NetworkShape& shape) { return TokenEncoderLayers(shape).list; },
    [](const PassSetup& setup) -> std::unique_ptr<NetworkPass> {
      return std::make_unique<TokenEncoderPass>(setup);
    }};

}  // namespace kernelscape::surrogate
