#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/random.h"

namespace kernelscape::surrogate {

/** Sizes of a policy network, each at least 1. */
struct PolicyShape {
  std::size_t inputs = 1;
  std::size_t hidden = 20;   ///< units of each hidden layer
  std::size_t heads = 1;     ///< number of actions that are chosen together, as one per knob
  std::size_t choices = 3;   ///< number of values of each action
  double temperature = 0.1;  ///< divides the inputs of the layer before the softmax
};

/** The output of a policy network for a state. */
struct PolicyOutput {
  double value = 0;            ///< the expected discounted reward
  std::vector<double> policy;  ///< for each head the probabilities of its choices, which sum to 1
};

/** What PPO learns from one step of an episode. */
struct PolicySample {
  std::vector<double> state;              ///< before the step
  std::vector<std::size_t> actions;       ///< the choice of each head
  std::vector<double> log_probabilities;  ///< of these choices, under the policy that took the step
  double advantage = 0;
  double target = 0;  ///< of the value: the reward and the discounted value of the next state
};

/** The weights of the terms of PPO's objective; the defaults are those of Chameleon's program. */
struct PolicyObjective {
  double clip = 0.2;            ///< largest change of a probability's ratio to the old one that is rewarded
  double value_weight = 1;      ///< of the squared error of the value
  double entropy_weight = 0.3;  ///< of the entropy of each head
};

/**
 * Computes the policy and the value of a state as Chameleon's program does, with two networks of layers of
 * hyperbolic tangents. The policy has two hidden layers; each head adds two layers as wide as its number of
 * choices, and a linear layer before the softmax. The value has three hidden layers and a linear one. Weights
 * start uniform within sqrt(6 / (inputs + outputs)) of their layer, biases at 0 (Glorot and Bengio 2010, the
 * default of TensorFlow).
 */
class PolicyNetwork {
 public:
  PolicyNetwork(const PolicyShape& shape, base::Random random);

  /** Returns the policy and the value of a state. @param state `inputs` numbers */
  PolicyOutput evaluate(std::span<const double> state) const;

  /**
   * Returns the derivatives of the loss, one per parameter. The loss is the mean over samples of
   * value_weight (target - value)^2 - sum over heads of (min(a r, a clamp(r, 1 - clip, 1 + clip)) +
   * entropy_weight entropy), where a is the advantage and r the ratio of the probability of the head's choice
   * to its old one (Schulman et al. 2017, equations 7 and 9). @param samples at least one
   */
  std::vector<double> gradient(std::span<const PolicySample> samples, const PolicyObjective& objective) const;

  /**
   * Returns the parameters of the layers in the order policy, heads, value. Those of a layer are its weights,
   * column by column, a row for each output, then its biases.
   */
  std::span<double> parameters() { return parameters_; }
  std::span<const double> parameters() const { return parameters_; }  ///< read-only access

 private:
  /** A fully connected layer, whose parameters begin at `first`. */
  struct Dense {
    std::size_t first = 0;
    std::size_t inputs = 0;
    std::size_t outputs = 0;
  };
  /** The layers of a head. */
  struct Head {
    Dense wide;
    Dense narrow;
    Dense logits;
  };
  struct HeadTrace;
  struct Trace;

  Dense add_layer(std::size_t inputs, std::size_t outputs, base::Random& random);
  Eigen::VectorXd apply(const Dense& layer, const Eigen::VectorXd& input) const;
  HeadTrace apply_head(const Head& head, const Eigen::VectorXd& input) const;
  Trace trace(std::span<const double> state) const;
  Eigen::VectorXd add_slopes(const Dense& layer, const Eigen::VectorXd& input, const Eigen::VectorXd& slopes,
                             std::span<double> gradient) const;
  Eigen::VectorXd add_head_slopes(const Head& head, const HeadTrace& trace, const Eigen::VectorXd& input,
                                  const Eigen::VectorXd& slopes, std::span<double> gradient) const;
  void add_value_slopes(const Trace& trace, double slope, std::span<double> gradient) const;

  PolicyShape shape_;
  std::vector<double> parameters_;
  Dense first_;
  Dense second_;
  std::vector<Head> heads_;
  std::vector<Dense> value_;
};

}  // namespace kernelscape::surrogate
