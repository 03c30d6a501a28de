#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/random.h"

namespace kernelscape::surrogate {

/** Sizes of an actor-critic network, each at least 1. */
struct ActorCriticShape {
  std::size_t inputs = 1;
  std::size_t hidden = 1;
  std::size_t actions = 1;

  /**
   * Returns the number of weights and biases of the shared layer, of the action head and of the value head.
   */
  std::size_t parameter_count() const { return hidden * (inputs + 1) + (actions + 1) * (hidden + 1); }
};

/** The network's output for a state. */
struct ActorCriticOutput {
  double value = 0;            ///< the expected reward
  std::vector<double> policy;  ///< probability of each action; sums to 1
};

/** An action taken in a state, and its reward. */
struct Transition {
  std::vector<double> state;
  std::size_t action = 0;
  double reward = 0;
};

/** The direction in which the policy term changes the probability of an action with positive advantage. */
enum class PolicySign {
  Ascent,    ///< up: minus log(probability) * advantage is minimised
  Published  ///< down: plus log(probability) * advantage is minimised, as in NNI's N_A2C
};

/**
 * The loss: the sum over transitions of the policy term and the squared advantage, where
 * advantage = reward - value of the state.
 */
struct ActorCriticLoss {
  PolicySign sign = PolicySign::Ascent;
  /** True: the advantage is a constant in the policy term, so only the square trains the value. */
  bool detached_advantage = true;
};

/**
 * Computes policy and value of a state with one shared layer of rectified linear units and two linear heads
 * (Zhang et al. 2019; NNI's N_A2C). Weights and biases start uniform within 1 / sqrt(inputs of their layer),
 * as PyTorch's.
 */
class ActorCritic {
 public:
  ActorCritic(const ActorCriticShape& shape, base::Random random);

  /** Returns value and policy of a state. @param state `inputs` numbers */
  ActorCriticOutput evaluate(std::span<const double> state) const;

  /** Returns the derivatives of the loss, one per parameter. */
  std::vector<double> gradient(std::span<const Transition> transitions, const ActorCriticLoss& loss) const;

  /**
   * Returns the weights and biases of the shared layer, then of the heads. Row 0 of the heads is the value,
   * the others are the actions; matrices are stored column by column.
   */
  std::span<double> parameters() { return parameters_; }
  std::span<const double> parameters() const { return parameters_; }  ///< read-only access

 private:
  ActorCriticShape shape_;
  std::vector<double> parameters_;
};

}  // namespace kernelscape::surrogate
