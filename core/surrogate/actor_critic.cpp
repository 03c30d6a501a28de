#include "core/surrogate/actor_critic.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <type_traits>

namespace kernelscape::surrogate {
namespace {

/**
 * The parameters of a network, or the derivatives by them, as matrices. @tparam Number double or const double
 */
template <typename Number>
struct Layers {
  template <typename Dense>
  using View = Eigen::Map<std::conditional_t<std::is_const_v<Number>, const Dense, Dense>>;

  Layers(const ActorCriticShape& shape, std::span<Number> numbers)
      : hidden_weights(numbers.data(), index(shape.hidden), index(shape.inputs)),
        hidden_biases(hidden_weights.data() + hidden_weights.size(), index(shape.hidden)),
        head_weights(hidden_biases.data() + hidden_biases.size(), index(shape.actions + 1),
                     index(shape.hidden)),
        head_biases(head_weights.data() + head_weights.size(), index(shape.actions + 1)) {}

  static Eigen::Index index(std::size_t count) { return static_cast<Eigen::Index>(count); }

  View<Eigen::MatrixXd> hidden_weights;
  View<Eigen::VectorXd> hidden_biases;
  View<Eigen::MatrixXd> head_weights;
  View<Eigen::VectorXd> head_biases;
};

using Weights = Layers<const double>;
using Slopes = Layers<double>;

Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

Eigen::VectorXd activate_hidden(const Weights& weights, std::span<const double> state) {
  const Eigen::VectorXd sums = weights.hidden_weights * as_vector(state) + weights.hidden_biases;
  return sums.cwiseMax(0.0);
}

/** Returns the logarithms of the softmax, which remain finite if a probability underflows. */
std::vector<double> log_softmax(const Eigen::VectorXd& heads) {
  std::vector<double> logits(heads.data() + 1, heads.data() + heads.size());
  const double largest = std::ranges::max(logits);
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  const double normaliser = largest + std::log(sum);
  for (double& logit : logits) logit -= normaliser;
  return logits;
}

/** Returns the derivatives of a transition's loss by the outputs of the heads. */
Eigen::VectorXd head_slopes(const Eigen::VectorXd& heads, const Transition& transition,
                            const ActorCriticLoss& loss) {
  const std::vector<double> log_policy = log_softmax(heads);
  const double advantage = transition.reward - heads[0];
  const double sign = loss.sign == PolicySign::Ascent ? -1 : 1;
  Eigen::VectorXd slopes(heads.size());
  slopes[0] = -2 * advantage;
  if (!loss.detached_advantage) slopes[0] -= sign * log_policy[transition.action];
  for (std::size_t action = 0; action < log_policy.size(); ++action) {
    const double taken = action == transition.action ? 1 : 0;
    slopes[static_cast<Eigen::Index>(action) + 1] = sign * advantage * (taken - std::exp(log_policy[action]));
  }
  return slopes;
}

}  // namespace

ActorCritic::ActorCritic(const ActorCriticShape& shape, base::Random random) : shape_(shape) {
  const std::size_t shared = shape.hidden * (shape.inputs + 1);
  const double shared_bound = 1 / std::sqrt(static_cast<double>(shape.inputs));
  const double head_bound = 1 / std::sqrt(static_cast<double>(shape.hidden));
  parameters_.resize(shape.parameter_count());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i] = (i < shared ? shared_bound : head_bound) * (2 * random.uniform() - 1);
  }
}

ActorCriticOutput ActorCritic::evaluate(std::span<const double> state) const {
  const Weights weights(shape_, parameters_);
  const Eigen::VectorXd heads = weights.head_weights * activate_hidden(weights, state) + weights.head_biases;
  ActorCriticOutput output{heads[0], log_softmax(heads)};
  for (double& probability : output.policy) probability = std::exp(probability);
  return output;
}

std::vector<double> ActorCritic::gradient(std::span<const Transition> transitions,
                                          const ActorCriticLoss& loss) const {
  const Weights weights(shape_, parameters_);
  std::vector<double> gradient(parameters_.size());
  Slopes slopes(shape_, gradient);
  for (const Transition& transition : transitions) {
    const Eigen::VectorXd hidden = activate_hidden(weights, transition.state);
    const Eigen::VectorXd heads =
        head_slopes(weights.head_weights * hidden + weights.head_biases, transition, loss);
    const Eigen::VectorXd back = weights.head_weights.transpose() * heads;
    const Eigen::VectorXd through = (hidden.array() > 0).select(back, 0.0);
    slopes.head_weights += heads * hidden.transpose();
    slopes.head_biases += heads;
    slopes.hidden_weights += through * as_vector(transition.state).transpose();
    slopes.hidden_biases += through;
  }
  return gradient;
}

}  // namespace kernelscape::surrogate
