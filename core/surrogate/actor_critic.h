#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/random.h"

namespace kernelscape {

/** Sizes of an actor-critic network, each at least 1. */
struct ActorCriticShape {
  std::size_t inputs = 1;
  std::size_t hidden = 1;
  std::size_t actions = 1;

  /** Weights and biases of the shared layer, of the actions' head and of the value's. */
  std::size_t parameter_count() const { return hidden * (inputs + 1) + (actions + 1) * (hidden + 1); }
};

/** What the network says of a state. */
struct ActorCriticOutput {
  double value = 0;            ///< the reward it expects
  std::vector<double> policy;  ///< probability of each action; sums to 1
};

/** An action taken in a state, and what came of it. */
struct Transition {
  std::vector<double> state;
  std::size_t action = 0;
  double reward = 0;
};

/** In which direction the policy term pushes the probability of an action of positive advantage. */
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
  bool detached_advantage = true;  ///< a constant in the policy term: only the square trains the value
};

/**
 * Policy and value of a state by one shared layer of rectified linear units and two linear heads (Zhang et
 * al. 2019; NNI's N_A2C). Weights and biases start uniform within 1 / sqrt(inputs of their layer), as
 * PyTorch's.
 */
class ActorCritic {
 public:
  ActorCritic(const ActorCriticShape& shape, Random random);

  /** @param state `inputs` numbers */
  ActorCriticOutput evaluate(std::span<const double> state) const;

  /** Derivatives of the loss, one per parameter. */
  std::vector<double> gradient(std::span<const Transition> transitions, const ActorCriticLoss& loss) const;

  /**
   * Weights and biases of the shared layer, then of the heads. Row 0 of the heads is the value, the others
   * are the actions; matrices column by column.
   */
  std::span<double> parameters() { return parameters_; }
  std::span<const double> parameters() const { return parameters_; }  ///< the same, to read

 private:
  ActorCriticShape shape_;
  std::vector<double> parameters_;
};

}  // namespace kernelscape
