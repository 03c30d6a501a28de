#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/surrogate/policy_learner.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_policy_test {

namespace {

using Numbers = std::vector<double>;

/** Reads the layers of a network one after the other, in the documented order. */
class LayerReader {
 public:
  explicit LayerReader(std::span<const double> parameters) : parameters_(parameters) {}

  Numbers linear(const Numbers& input, std::size_t outputs) {
    Numbers output(outputs);
    for (std::size_t row = 0; row < outputs; ++row) {
      output[row] = parameters_[next_ + outputs * input.size() + row];
      for (std::size_t column = 0; column < input.size(); ++column)
        output[row] += parameters_[next_ + column * outputs + row] * input[column];
    }
    next_ += outputs * (input.size() + 1);
    return output;
  }

  Numbers tangents(const Numbers& input, std::size_t outputs) {
    Numbers output = linear(input, outputs);
    for (double& number : output) number = std::tanh(number);
    return output;
  }

  bool at_end() const { return next_ == parameters_.size(); }

 private:
  std::span<const double> parameters_;
  std::size_t next_ = 0;
};

/** The networks as their documentation describes them, number by number. */
surrogate::PolicyOutput reference_output(const surrogate::PolicyShape& shape,
                                         std::span<const double> parameters, const Numbers& state) {
  LayerReader reader(parameters);
  surrogate::PolicyOutput output;
  const Numbers first = reader.tangents(state, shape.hidden);
  const Numbers second = reader.tangents(first, shape.hidden);
  for (std::size_t head = 0; head < shape.heads; ++head) {
    const Numbers wide = reader.tangents(second, shape.choices);
    Numbers narrow = reader.tangents(wide, shape.choices);
    for (double& number : narrow) number /= shape.temperature;
    const Numbers logits = reader.linear(narrow, shape.choices);
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit);
    for (const double logit : logits) output.policy.push_back(std::exp(logit) / sum);
  }
  Numbers value = state;
  for (int layer = 0; layer < 3; ++layer) value = reader.tangents(value, shape.hidden);
  output.value = reader.linear(value, 1)[0];
  if (!reader.at_end()) throw std::runtime_error("the network has other parameters");
  return output;
}

double reference_loss(const surrogate::PolicyShape& shape, std::span<const double> parameters,
                      const std::vector<surrogate::PolicySample>& samples,
                      const surrogate::PolicyObjective& objective) {
  double loss = 0;
  for (const surrogate::PolicySample& sample : samples) {
    const surrogate::PolicyOutput output = reference_output(shape, parameters, sample.state);
    loss += objective.value_weight * (sample.target - output.value) * (sample.target - output.value);
    for (std::size_t head = 0; head < shape.heads; ++head) {
      const double* policy = output.policy.data() + head * shape.choices;
      const double ratio = policy[sample.actions[head]] / std::exp(sample.log_probabilities[head]);
      const double clipped = std::min(std::max(ratio, 1 - objective.clip), 1 + objective.clip);
      loss -= std::min(sample.advantage * ratio, sample.advantage * clipped);
      for (std::size_t choice = 0; choice < shape.choices; ++choice)
        loss += objective.entropy_weight * policy[choice] * std::log(policy[choice]);
    }
  }
  return loss / static_cast<double>(samples.size());
}

Numbers random_state(const surrogate::PolicyShape& shape, base::Random& random) {
  Numbers state;
  for (std::size_t input = 0; input < shape.inputs; ++input) state.push_back(random.uniform());
  return state;
}

/** Samples whose ratios lie on both sides of the clipping, and away from its kinks. */
std::vector<surrogate::PolicySample> random_samples(const surrogate::PolicyNetwork& network,
                                                    const surrogate::PolicyShape& shape, std::size_t count,
                                                    base::Random& random) {
  const Numbers ratios{0.4, 0.7, 0.9, 1, 1.1, 1.3, 2};
  std::vector<surrogate::PolicySample> samples(count);
  for (surrogate::PolicySample& sample : samples) {
    sample.state = random_state(shape, random);
    sample.advantage = random.normal();
    sample.target = random.normal();
    const surrogate::PolicyOutput output = network.evaluate(sample.state);
    for (std::size_t head = 0; head < shape.heads; ++head) {
      sample.actions.push_back(random.below(shape.choices));
      const double probability = output.policy[head * shape.choices + sample.actions.back()];
      sample.log_probabilities.push_back(std::log(probability / ratios[random.below(ratios.size())]));
    }
  }
  return samples;
}

bool near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

surrogate::PolicyStep step_with(double value, double reward) {
  return {.state = {0.5}, .actions = {0}, .log_probabilities = {-1}, .value = value, .reward = reward};
}

/** Learns which choice of each head is paid, at once and whatever else was chosen. */
surrogate::PolicyLearner taught_learner(std::uint64_t seed) {
  const surrogate::PolicyShape shape{.inputs = 2, .heads = 2};
  surrogate::PolicyLearner learner(shape, {.objective = {.entropy_weight = 0.05}, .discount = 0},
                                   base::Random(seed));
  for (int episode = 0; episode < 600; ++episode) {
    std::vector<surrogate::PolicyStep> steps;
    for (int i = 0; i < 20; ++i) {
      steps.push_back(learner.act({0.3, 0.6}));
      steps.back().reward = (steps.back().actions[0] == 2 ? 1 : 0) + (steps.back().actions[1] == 0 ? 1 : 0);
    }
    learner.learn(steps);
  }
  return learner;
}

}  // namespace

class SurrogatePolicyTest : public QObject {
  Q_OBJECT

 private slots:
  void output_is_that_of_the_formulas() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 50; ++repeat) {
      const surrogate::PolicyShape shape{.inputs = 1 + random.below(9),
                                         .hidden = 1 + random.below(30),
                                         .heads = 1 + random.below(9),
                                         .choices = 2 + random.below(4),
                                         .temperature = 0.1 + random.uniform()};
      const surrogate::PolicyNetwork network(shape, base::Random(random.bits()));
      const Numbers state = random_state(shape, random);
      const surrogate::PolicyOutput output = network.evaluate(state);
      const surrogate::PolicyOutput expected = reference_output(shape, network.parameters(), state);
      QVERIFY(near(output.value, expected.value, 1e-12));
      QCOMPARE(output.policy.size(), expected.policy.size());
      for (std::size_t i = 0; i < output.policy.size(); ++i)
        QVERIFY(near(output.policy[i], expected.policy[i], 1e-9));
    }
  }

  void gradient_is_that_of_finite_differences() {
    base::Random random(printed_seed());
    const surrogate::PolicyShape shape{
        .inputs = 4, .hidden = 6, .heads = 3, .choices = 3, .temperature = 0.5};
    const surrogate::PolicyObjective objective{.clip = 0.2, .value_weight = 0.7, .entropy_weight = 0.3};
    for (int repeat = 0; repeat < 10; ++repeat) {
      const surrogate::PolicyNetwork network(shape, base::Random(random.bits()));
      const std::vector<surrogate::PolicySample> samples = random_samples(network, shape, 8, random);
      const Numbers gradient = network.gradient(samples, objective);
      Numbers parameters(network.parameters().begin(), network.parameters().end());
      QCOMPARE(gradient.size(), parameters.size());
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        constexpr double step = 1e-6;
        const double value = parameters[i];
        const auto loss_at = [&](double moved) {
          parameters[i] = moved;
          return reference_loss(shape, parameters, samples, objective);
        };
        const double slope = (loss_at(value + step) - loss_at(value - step)) / (2 * step);
        parameters[i] = value;
        QVERIFY2(near(gradient[i], slope, 1e-6),
                 qPrintable(QString("parameter %1: %2, not %3").arg(i).arg(gradient[i]).arg(slope)));
      }
    }
  }

  void what_is_clipped_has_no_slope() {
    // A good choice that is already more probable by more than the clip, and a bad one that is less.
    const surrogate::PolicyShape shape{.inputs = 1};
    const surrogate::PolicyNetwork network(shape, base::Random(printed_seed()));
    const double log_probability = std::log(network.evaluate(Numbers{0.5}).policy[0]);
    const surrogate::PolicyObjective objective{.clip = 0.2, .value_weight = 0, .entropy_weight = 0};
    const auto largest_slope = [&](double ratio, double advantage) {
      const surrogate::PolicySample sample{.state = {0.5},
                                           .actions = {0},
                                           .log_probabilities = {log_probability - std::log(ratio)},
                                           .advantage = advantage,
                                           .target = 0};
      double largest = 0;
      for (const double slope : network.gradient(std::span(&sample, 1), objective))
        largest = std::max(largest, std::abs(slope));
      return largest;
    };
    QCOMPARE(largest_slope(1.3, 1), 0.0);
    QCOMPARE(largest_slope(0.7, -1), 0.0);
    QVERIFY(largest_slope(1.3, -1) > 0);
    QVERIFY(largest_slope(0.7, 1) > 0);
  }

  void advantages_are_those_of_the_sum() {
    // By hand: errors 1 + 0.5 * 4 - 2 = 1, 0 + 0.5 * 6 - 4 = -1 and 5 - 6 = -1; factor 0.5 * 0.4 = 0.2.
    const std::vector<surrogate::PolicyStep> three{step_with(2, 1), step_with(4, 0), step_with(6, 5)};
    const Numbers by_hand = surrogate::generalized_advantages(three, 0.5, 0.4);
    QVERIFY(near(by_hand[2], -1, 1e-12));
    QVERIFY(near(by_hand[1], -1.2, 1e-12));
    QVERIFY(near(by_hand[0], 0.76, 1e-12));

    base::Random random(printed_seed());
    std::vector<surrogate::PolicyStep> episode;
    for (int i = 0; i < 40; ++i) episode.push_back(step_with(random.normal(), random.normal()));
    const Numbers advantages = surrogate::generalized_advantages(episode, 0.9, 0.99);
    for (std::size_t from = 0; from < episode.size(); ++from) {
      double sum = 0;
      for (std::size_t i = from; i < episode.size(); ++i) {
        const double next = i + 1 < episode.size() ? episode[i + 1].value : 0;
        sum += std::pow(0.9 * 0.99, static_cast<double>(i - from)) *
               (episode[i].reward + 0.9 * next - episode[i].value);
      }
      QVERIFY(near(advantages[from], sum, 1e-10));
    }
  }

  void actions_follow_the_policy() {
    surrogate::PolicyLearner learner({.inputs = 1, .heads = 2}, {}, base::Random(printed_seed()));
    const surrogate::PolicyOutput output = learner.network().evaluate(Numbers{0.25});
    Numbers shares(6);
    constexpr int draws = 20'000;
    for (int i = 0; i < draws; ++i) {
      const surrogate::PolicyStep step = learner.act({0.25});
      QCOMPARE(step.value, output.value);
      for (std::size_t head = 0; head < 2; ++head) {
        const std::size_t choice = head * 3 + step.actions[head];
        shares[choice] += 1.0 / draws;
        QVERIFY(near(step.log_probabilities[head], std::log(output.policy[choice]), 1e-12));
      }
    }
    // Six standard deviations of a share.
    for (std::size_t i = 0; i < 6; ++i)
      QVERIFY(std::abs(shares[i] - output.policy[i]) < 3 / std::sqrt(draws));
  }

  void paid_choices_become_more_probable() {
    const std::uint64_t seed = printed_seed();
    const Numbers policy = taught_learner(seed).network().evaluate(Numbers{0.3, 0.6}).policy;
    qInfo("%g and %g", policy[2], policy[3]);
    QVERIFY(policy[2] > std::max(policy[0], policy[1]));
    QVERIFY(policy[3] > std::max(policy[4], policy[5]));
    QCOMPARE(taught_learner(seed).network().evaluate(Numbers{0.3, 0.6}).policy, policy);
  }

  void an_episode_without_differences_leaves_numbers() {
    surrogate::PolicyLearner learner({.inputs = 1}, {}, base::Random(printed_seed()));
    learner.learn({});
    learner.learn(std::vector{learner.act({0.5})});  // one step: no standard deviation
    for (const double parameter : learner.network().parameters()) QVERIFY(std::isfinite(parameter));
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogatePolicyTest)

}  // namespace kernelscape::surrogate_policy_test
#include "surrogate_policy_test.moc"
