#include "core/surrogate/policy_network.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::surrogate {
namespace {

constexpr std::size_t hidden_value_layers = 3;

Eigen::Index as_index(std::size_t count) { return static_cast<Eigen::Index>(count); }

/** Returns the logarithms of the softmax, which remain finite if a probability underflows. */
Eigen::VectorXd log_probabilities_of(const Eigen::VectorXd& logits) {
  const double largest = logits.maxCoeff();
  return logits.array() - (largest + std::log((logits.array() - largest).exp().sum()));
}

/** Returns the slopes by the inputs of hyperbolic tangents, given those by their outputs. */
Eigen::VectorXd through_tanh(const Eigen::VectorXd& outputs, const Eigen::VectorXd& slopes) {
  return slopes.array() * (1 - outputs.array().square());
}

/** Returns the derivative of the clipped objective by the logarithm of the choice's probability. */
double clipped_slope(double advantage, double ratio, double clip) {
  const double clipped = std::clamp(ratio, 1 - clip, 1 + clip);
  return advantage * ratio <= advantage * clipped ? advantage * ratio : 0;
}

/** Returns the derivatives of a head's part of the loss of one sample by its logits. */
Eigen::VectorXd logit_slopes(const Eigen::VectorXd& log_policy, const PolicySample& sample, std::size_t head,
                             const PolicyObjective& objective) {
  const Eigen::ArrayXd policy = log_policy.array().exp();
  const double entropy = -(policy * log_policy.array()).sum();
  const Eigen::Index choice = as_index(sample.actions[head]);
  const double ratio = std::exp(log_policy[choice] - sample.log_probabilities[head]);
  const double gain = clipped_slope(sample.advantage, ratio, objective.clip);
  Eigen::VectorXd slopes = gain * policy + objective.entropy_weight * policy * (log_policy.array() + entropy);
  slopes[choice] -= gain;
  return slopes;
}

}  // namespace

struct PolicyNetwork::HeadTrace {
  Eigen::VectorXd wide;
  Eigen::VectorXd scaled;      ///< the outputs of the narrow layer, divided by the temperature
  Eigen::VectorXd log_policy;  ///< the logarithms of the probabilities
};

struct PolicyNetwork::Trace {
  Eigen::VectorXd state;
  Eigen::VectorXd first;
  Eigen::VectorXd second;
  std::vector<HeadTrace> heads;
  std::vector<Eigen::VectorXd> value_layers;  ///< the hidden layers of the value
  double value = 0;
};

PolicyNetwork::PolicyNetwork(const PolicyShape& shape, base::Random random) : shape_(shape) {
  first_ = add_layer(shape.inputs, shape.hidden, random);
  second_ = add_layer(shape.hidden, shape.hidden, random);
  for (std::size_t head = 0; head < shape.heads; ++head) {
    Head& layers = heads_.emplace_back();
    layers.wide = add_layer(shape.hidden, shape.choices, random);
    layers.narrow = add_layer(shape.choices, shape.choices, random);
    layers.logits = add_layer(shape.choices, shape.choices, random);
  }
  for (std::size_t layer = 0; layer < hidden_value_layers; ++layer)
    value_.push_back(add_layer(layer == 0 ? shape.inputs : shape.hidden, shape.hidden, random));
  value_.push_back(add_layer(shape.hidden, 1, random));
}

PolicyNetwork::Dense PolicyNetwork::add_layer(std::size_t inputs, std::size_t outputs, base::Random& random) {
  const Dense layer{.first = parameters_.size(), .inputs = inputs, .outputs = outputs};
  const double bound = std::sqrt(6 / static_cast<double>(inputs + outputs));
  for (std::size_t i = 0; i < inputs * outputs; ++i)
    parameters_.push_back(bound * (2 * random.uniform() - 1));
  parameters_.resize(parameters_.size() + outputs);
  return layer;
}

Eigen::VectorXd PolicyNetwork::apply(const Dense& layer, const Eigen::VectorXd& input) const {
  const double* weights = parameters_.data() + layer.first;
  const Eigen::Map<const Eigen::MatrixXd> matrix(weights, as_index(layer.outputs), as_index(layer.inputs));
  const Eigen::Map<const Eigen::VectorXd> biases(weights + matrix.size(), as_index(layer.outputs));
  return matrix * input + biases;
}

PolicyNetwork::HeadTrace PolicyNetwork::apply_head(const Head& head, const Eigen::VectorXd& input) const {
  HeadTrace trace;
  trace.wide = apply(head.wide, input).array().tanh();
  trace.scaled = apply(head.narrow, trace.wide).array().tanh() / shape_.temperature;
  trace.log_policy = log_probabilities_of(apply(head.logits, trace.scaled));
  return trace;
}

PolicyNetwork::Trace PolicyNetwork::trace(std::span<const double> state) const {
  Trace trace;
  trace.state = Eigen::Map<const Eigen::VectorXd>(state.data(), as_index(state.size()));
  trace.first = apply(first_, trace.state).array().tanh();
  trace.second = apply(second_, trace.first).array().tanh();
  for (const Head& head : heads_) trace.heads.push_back(apply_head(head, trace.second));
  for (std::size_t layer = 0; layer < hidden_value_layers; ++layer) {
    const Eigen::VectorXd& input = layer == 0 ? trace.state : trace.value_layers.back();
    trace.value_layers.emplace_back(apply(value_[layer], input).array().tanh());
  }
  trace.value = apply(value_.back(), trace.value_layers.back())[0];
  return trace;
}

PolicyOutput PolicyNetwork::evaluate(std::span<const double> state) const {
  const Trace passed = trace(state);
  PolicyOutput output{.value = passed.value, .policy = {}};
  for (const HeadTrace& head : passed.heads)
    for (const double logarithm : head.log_policy) output.policy.push_back(std::exp(logarithm));
  return output;
}

/** Adds the slopes of a layer's parameters. @return those by its inputs */
Eigen::VectorXd PolicyNetwork::add_slopes(const Dense& layer, const Eigen::VectorXd& input,
                                          const Eigen::VectorXd& slopes, std::span<double> gradient) const {
  const Eigen::Index outputs = as_index(layer.outputs);
  const Eigen::Index inputs = as_index(layer.inputs);
  double* weights = gradient.data() + layer.first;
  Eigen::Map<Eigen::MatrixXd>(weights, outputs, inputs) += slopes * input.transpose();
  Eigen::Map<Eigen::VectorXd>(weights + outputs * inputs, outputs) += slopes;
  const double* parameters = parameters_.data() + layer.first;
  return Eigen::Map<const Eigen::MatrixXd>(parameters, outputs, inputs).transpose() * slopes;
}

/** Adds the slopes of a head's parameters. @return those by its inputs */
Eigen::VectorXd PolicyNetwork::add_head_slopes(const Head& head, const HeadTrace& trace,
                                               const Eigen::VectorXd& input, const Eigen::VectorXd& slopes,
                                               std::span<double> gradient) const {
  const Eigen::VectorXd narrow_slopes =
      add_slopes(head.logits, trace.scaled, slopes, gradient) / shape_.temperature;
  const Eigen::VectorXd narrow = trace.scaled * shape_.temperature;
  const Eigen::VectorXd wide_slopes =
      add_slopes(head.narrow, trace.wide, through_tanh(narrow, narrow_slopes), gradient);
  return add_slopes(head.wide, input, through_tanh(trace.wide, wide_slopes), gradient);
}

/** Adds the slopes of the parameters of the value. @param slope derivative of the loss by the value */
void PolicyNetwork::add_value_slopes(const Trace& trace, double slope, std::span<double> gradient) const {
  Eigen::VectorXd slopes = Eigen::VectorXd::Constant(1, slope);
  for (std::size_t layer = value_.size(); layer-- > 0;) {
    const bool linear = layer == hidden_value_layers;
    if (!linear) slopes = through_tanh(trace.value_layers[layer], slopes);
    const Eigen::VectorXd& input = layer == 0 ? trace.state : trace.value_layers[layer - 1];
    slopes = add_slopes(value_[layer], input, slopes, gradient);
  }
}

std::vector<double> PolicyNetwork::gradient(std::span<const PolicySample> samples,
                                            const PolicyObjective& objective) const {
  std::vector<double> gradient(parameters_.size());
  const double share = 1 / static_cast<double>(samples.size());
  for (const PolicySample& sample : samples) {
    const Trace passed = trace(sample.state);
    Eigen::VectorXd slopes = Eigen::VectorXd::Zero(as_index(shape_.hidden));
    for (std::size_t head = 0; head < heads_.size(); ++head) {
      const Eigen::VectorXd logits =
          share * logit_slopes(passed.heads[head].log_policy, sample, head, objective);
      slopes += add_head_slopes(heads_[head], passed.heads[head], passed.second, logits, gradient);
    }
    slopes = add_slopes(second_, passed.first, through_tanh(passed.second, slopes), gradient);
    add_slopes(first_, passed.state, through_tanh(passed.first, slopes), gradient);
    add_value_slopes(passed, -2 * share * objective.value_weight * (sample.target - passed.value), gradient);
  }
  return gradient;
}

}  // namespace kernelscape::surrogate
