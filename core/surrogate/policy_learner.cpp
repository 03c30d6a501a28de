#include "core/surrogate/policy_learner.h"

#include <cmath>
#include <utility>

namespace kernelscape::surrogate {
namespace {

/// Of Chameleon's program.
constexpr double adam_epsilon = 1e-5;

/** Returns the value behind a step: that of the next step's state, 0 at the end. */
double next_value(std::span<const PolicyStep> episode, std::size_t step) {
  return step + 1 < episode.size() ? episode[step + 1].value : 0;
}

/** Shifts and scales numbers to mean 0 and standard deviation 1. Equal numbers become 0. */
void standardize(std::span<double> numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  const double mean = sum / static_cast<double>(numbers.size());
  double squares = 0;
  for (double& number : numbers) {
    number -= mean;
    squares += number * number;
  }
  const double deviation = std::sqrt(squares / static_cast<double>(numbers.size()));
  for (double& number : numbers) number = deviation > 0 ? number / deviation : 0;
}

}  // namespace

std::vector<double> generalized_advantages(std::span<const PolicyStep> episode, double discount,
                                           double lambda) {
  std::vector<double> advantages(episode.size());
  double later = 0;
  for (std::size_t step = episode.size(); step-- > 0;) {
    const double error = episode[step].reward + discount * next_value(episode, step) - episode[step].value;
    later = error + discount * lambda * later;
    advantages[step] = later;
  }
  return advantages;
}

PolicyLearner::PolicyLearner(const PolicyShape& shape, const PolicyLearning& options,
                             const base::Random& random)
    : shape_(shape),
      options_(options),
      random_(random.fork("actions")),
      network_(shape, random.fork("network")),
      optimizer_(network_.parameters().size(),
                 {.learning_rate = options.learning_rate, .epsilon = adam_epsilon}) {}

PolicyStep PolicyLearner::act(std::vector<double> state) {
  const PolicyOutput output = network_.evaluate(state);
  PolicyStep step{
      .state = std::move(state), .actions = {}, .log_probabilities = {}, .value = output.value, .reward = 0};
  for (std::size_t head = 0; head < shape_.heads; ++head) {
    const auto policy = std::span(output.policy).subspan(head * shape_.choices, shape_.choices);
    step.actions.push_back(random_.weighted(policy));
    step.log_probabilities.push_back(std::log(policy[step.actions.back()]));
  }
  return step;
}

std::vector<PolicySample> PolicyLearner::samples_of(std::span<const PolicyStep> episode) const {
  std::vector<double> advantages = generalized_advantages(episode, options_.discount, options_.lambda);
  standardize(advantages);
  std::vector<PolicySample> samples;
  for (std::size_t i = 0; i < episode.size(); ++i) {
    const PolicyStep& step = episode[i];
    samples.push_back({.state = step.state,
                       .actions = step.actions,
                       .log_probabilities = step.log_probabilities,
                       .advantage = advantages[i],
                       .target = step.reward + options_.discount * next_value(episode, i)});
  }
  return samples;
}

void PolicyLearner::learn(std::span<const PolicyStep> episode) {
  if (episode.empty()) return;
  const std::vector<PolicySample> samples = samples_of(episode);
  for (std::int64_t epoch = 0; epoch < options_.epochs; ++epoch) {
    std::vector<PolicySample> batch;
    for (std::size_t i = 0; i < options_.batch; ++i) batch.push_back(samples[random_.below(samples.size())]);
    optimizer_.step(network_.parameters(), network_.gradient(batch, options_.objective));
  }
}

}  // namespace kernelscape::surrogate
