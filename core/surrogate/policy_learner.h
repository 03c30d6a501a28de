#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/surrogate/adam.h"
#include "core/surrogate/policy_network.h"

namespace kernelscape::surrogate {

/** A step of an episode. */
struct PolicyStep {
  std::vector<double> state;              ///< before the step
  std::vector<std::size_t> actions;       ///< the choice of each head
  std::vector<double> log_probabilities;  ///< of these choices
  double value = 0;                       ///< the expected discounted reward of the state
  double reward = 0;
};

/**
 * Returns the generalized advantage of each step (Schulman et al. 2016, equation 16): the sum of the errors
 * of the value from this step on, each later error weighted with discount * lambda to the power of its
 * distance. The value behind the end of the episode is 0.
 */
std::vector<double> generalized_advantages(std::span<const PolicyStep> episode, double discount,
                                           double lambda);

/** Options of proximal policy optimization; the defaults are those of Chameleon's program. */
struct PolicyLearning {
  PolicyObjective objective = {};
  double learning_rate = 1e-3;  ///< of Adam
  std::int64_t epochs = 3;      ///< number of steps of Adam after an episode
  std::size_t batch = 32;       ///< steps of the episode, drawn with replacement, in a step of Adam
  double discount = 0.9;        ///< gamma: weight of the next step's reward
  double lambda = 0.99;         ///< of the generalized advantage
};

/**
 * Proximal policy optimization (Schulman et al. 2017): acts by a policy network, and after each episode
 * changes the network by a few steps of Adam on the clipped objective.
 */
class PolicyLearner {
 public:
  PolicyLearner(const PolicyShape& shape, const PolicyLearning& options, const base::Random& random);

  /** Draws an action for each head by the policy. The reward of the returned step is 0. */
  PolicyStep act(std::vector<double> state);
  /** Learns from an episode whose steps act() returned since the last call, with their rewards. */
  void learn(std::span<const PolicyStep> episode);

  const PolicyNetwork& network() const { return network_; }  ///< the policy and the value as learnt so far

 private:
  std::vector<PolicySample> samples_of(std::span<const PolicyStep> episode) const;

  PolicyShape shape_;
  PolicyLearning options_;
  base::Random random_;
  PolicyNetwork network_;
  Adam optimizer_;
};

}  // namespace kernelscape::surrogate
