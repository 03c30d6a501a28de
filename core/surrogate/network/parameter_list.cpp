#include "core/surrogate/network/parameter_list.h"

#include <cmath>

namespace kernelscape::surrogate {

double projection_bound(std::size_t width) { return std::sqrt(6.0 / static_cast<double>(4 * width)); }
double linear_bound(std::size_t inputs) { return 1 / std::sqrt(static_cast<double>(inputs)); }

std::size_t ParameterList::add(const Part& part) {
  const std::size_t place = count_;
  count_ += part.count;
  parts_.push_back(part);
  return place;
}

std::size_t ParameterList::add_uniform(std::size_t count, double bound) { return add({count, 0, bound}); }

Linear ParameterList::add_linear(std::size_t inputs, std::size_t outputs) {
  Linear layer{inputs, outputs, 0, 0};
  layer.weights = add({inputs * outputs, 0, linear_bound(inputs)});
  layer.biases = add({outputs, 0, linear_bound(inputs)});
  return layer;
}

Linear ParameterList::add_linear(std::size_t inputs, std::size_t outputs, double bound) {
  Linear layer{inputs, outputs, 0, 0};
  layer.weights = add({inputs * outputs, 0, bound});
  layer.biases = add({outputs, 0, 0});
  return layer;
}

Norm ParameterList::add_norm(std::size_t features) {
  Norm norm{features, 0, 0};
  norm.scales = add({features, 1, 0});
  norm.shifts = add({features, 0, 0});
  return norm;
}

FeedForward ParameterList::add_feed_forward(std::size_t width, std::size_t hidden) {
  FeedForward layer;
  layer.up = add_linear(width, hidden);
  layer.down = add_linear(hidden, width);
  return layer;
}

AttentionLayer ParameterList::add_attention_layer(std::size_t width, std::size_t heads, std::size_t hidden) {
  AttentionLayer layer;
  layer.heads = heads;
  layer.attention_norm = add_norm(width);
  layer.project = add_linear(width, 3 * width, projection_bound(width));
  layer.merge = add_linear(width, width, linear_bound(width));
  layer.feed_forward_norm = add_norm(width);
  layer.feed_forward = add_feed_forward(width, hidden);
  return layer;
}

std::vector<float> ParameterList::draw(base::Random random) const {
  std::vector<float> parameters;
  parameters.reserve(count_);
  for (const Part& part : parts_) {
    for (std::size_t i = 0; i < part.count; ++i) {
      const double offset = part.bound == 0 ? 0 : part.bound * (2 * random.uniform() - 1);
      parameters.push_back(static_cast<float>(part.middle + offset));
    }
  }
  return parameters;
}

}  // namespace kernelscape::surrogate
