#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/surrogate/network/network.h"

namespace kernelscape {

/** Networks as their documentation writes them, number by number, with parameters of 64 bits. */
class NetworkReference {
 public:
  NetworkReference(const surrogate::NetworkShape& shape, const std::vector<double>& parameters)
      : shape_(shape), parameters_(parameters) {}

  double value(const std::vector<double>& row) {
    next_ = 0;
    switch (shape_.kind) {
      case surrogate::NetworkKind::Tokens:
        return token_value(row);
      case surrogate::NetworkKind::OneShot:
        return one_shot_value(row);
      case surrogate::NetworkKind::Lstm:
        return lstm_value(row);
      case surrogate::NetworkKind::Perceptron:
        break;
    }
    const Vector first = rectified(Layer(*this, shape_.columns, shape_.width)(row));
    const Vector second = rectified(Layer(*this, shape_.width, shape_.width)(first));
    return Layer(*this, shape_.width, 1)(second).front();
  }

  std::size_t used() const { return next_; }  ///< parameters by the last value

 private:
  using Vector = std::vector<double>;

  /** The next parameters as weights by output, then biases. */
  struct Layer {
    Layer(NetworkReference& network, std::size_t inputs, std::size_t outputs)
        : weights(network.take(inputs * outputs)), biases(network.take(outputs)) {}

    Vector operator()(const Vector& input) const {
      Vector output = biases;
      for (std::size_t i = 0; i < output.size(); ++i) {
        for (std::size_t j = 0; j < input.size(); ++j) output[i] += weights[i * input.size() + j] * input[j];
      }
      return output;
    }

    Vector weights;
    Vector biases;
  };

  /** The next parameters as scales and shifts of what has mean 0 and deviation 1. */
  struct Norm {
    Norm(NetworkReference& network, std::size_t features)
        : scales(network.take(features)), shifts(network.take(features)) {}

    Vector operator()(const Vector& input) const {
      const auto count = static_cast<double>(input.size());
      double mean = 0;
      double variance = 0;
      for (const double number : input) mean += number / count;
      for (const double number : input) variance += (number - mean) * (number - mean) / count;
      Vector output(input.size());
      for (std::size_t i = 0; i < input.size(); ++i)
        output[i] = (input[i] - mean) / std::sqrt(variance + 1e-5) * scales[i] + shifts[i];
      return output;
    }

    Vector scales;
    Vector shifts;
  };

  Vector take(std::size_t count) {
    const auto first = parameters_.begin() + static_cast<std::ptrdiff_t>(next_);
    next_ += count;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  static Vector rectified(Vector numbers) {
    for (double& number : numbers) number = std::max(0.0, number);
    return numbers;
  }
  static Vector sum(Vector left, const Vector& right) {
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
    return left;
  }

  double one_shot_value(const Vector& row) {
    Vector state = row;
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
      const Layer value(*this, shape_.width, shape_.width);
      const Layer merge(*this, shape_.width, shape_.width);
      state = Norm(*this, shape_.width)(sum(state, merge(value(state))));
      const Layer up(*this, shape_.width, shape_.feed_forward);
      const Layer down(*this, shape_.feed_forward, shape_.width);
      state = Norm(*this, shape_.width)(sum(state, down(rectified(up(state)))));
    }
    return Layer(*this, shape_.width, 1)(state).front();
  }

  static double sigmoid(double number) { return 1 / (1 + std::exp(-number)); }

  /** One step from a state of zeros, of which forget gates and recurrent weights keep nothing. */
  double lstm_value(const Vector& row) {
    Vector state = row;
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
      const Layer gates(*this, state.size(), 3 * shape_.width);
      const Vector numbers = sum(gates(state), take(3 * shape_.width));
      state.resize(shape_.width);
      for (std::size_t i = 0; i < shape_.width; ++i) {
        const double cell = sigmoid(numbers[i]) * std::tanh(numbers[shape_.width + i]);
        state[i] = sigmoid(numbers[2 * shape_.width + i]) * std::tanh(cell);
      }
    }
    return Layer(*this, shape_.width, 1)(state).front();
  }

  double token_value(const Vector& row) {
    const surrogate::TokenLayout& tokens = shape_.tokens;
    const Layer task(*this, tokens.task_columns, shape_.width);
    const Layer knobs(*this, tokens.knob_columns, shape_.width);
    const Layer loop(*this, tokens.loop_columns, shape_.width);
    const Vector places = take(tokens.loops * shape_.width);
    const auto part = [&](std::size_t first, std::size_t count) {
      const auto begin = row.begin() + static_cast<std::ptrdiff_t>(first);
      return Vector(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    const std::size_t after = 1 + tokens.loops * tokens.loop_columns;
    std::vector<Vector> states{task(part(after, tokens.task_columns)),
                               knobs(part(after + tokens.task_columns, tokens.knob_columns))};
    const auto loops = static_cast<std::size_t>(row.front());
    for (std::size_t i = 0; i < loops; ++i) {
      const auto place = places.begin() + static_cast<std::ptrdiff_t>(i * shape_.width);
      states.push_back(sum(loop(part(1 + i * tokens.loop_columns, tokens.loop_columns)),
                           Vector(place, place + static_cast<std::ptrdiff_t>(shape_.width))));
    }
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) encode(states);
    const Norm last(*this, shape_.width);
    Vector summary(3 * shape_.width);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Vector token = last(states[i]);
      for (std::size_t j = 0; j < token.size(); ++j) {
        summary[std::min<std::size_t>(i, 2) * shape_.width + j] +=
            i < 2 ? token[j] : token[j] / static_cast<double>(loops);
      }
    }
    return Layer(*this, 3 * shape_.width, 1)(summary).front();
  }

  void encode(std::vector<Vector>& states) {
    const Norm attention_norm(*this, shape_.width);
    const Layer project(*this, shape_.width, 3 * shape_.width);
    const Layer merge(*this, shape_.width, shape_.width);
    const Norm feed_forward_norm(*this, shape_.width);
    const Layer up(*this, shape_.width, shape_.feed_forward);
    const Layer down(*this, shape_.feed_forward, shape_.width);
    std::vector<Vector> projected;
    for (const Vector& state : states) projected.push_back(project(attention_norm(state)));
    for (std::size_t i = 0; i < states.size(); ++i) {
      states[i] = sum(states[i], merge(attended(projected, i)));
      states[i] = sum(states[i], down(rectified(up(feed_forward_norm(states[i])))));
    }
  }

  Vector attended(const std::vector<Vector>& projected, std::size_t reader) const {
    const std::size_t width = shape_.width;
    const std::size_t head_width = width / shape_.heads;
    Vector result(width);
    for (std::size_t head = 0; head < shape_.heads; ++head) {
      const std::size_t first = head * head_width;
      Vector weights;
      double total = 0;
      for (const Vector& other : projected) {
        double score = 0;
        for (std::size_t i = first; i < first + head_width; ++i)
          score += projected[reader][i] * other[width + i];
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(head_width))));
        total += weights.back();
      }
      for (std::size_t j = 0; j < projected.size(); ++j) {
        for (std::size_t i = first; i < first + head_width; ++i)
          result[i] += weights[j] / total * projected[j][2 * width + i];
      }
    }
    return result;
  }

  surrogate::NetworkShape shape_;
  const std::vector<double>& parameters_;
  std::size_t next_ = 0;
};

}  // namespace kernelscape
