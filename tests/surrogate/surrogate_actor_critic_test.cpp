#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/surrogate/actor_critic.h"
#include "core/surrogate/adam.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_actor_critic_test {

namespace {

/** The network as its documentation writes it, number by number. */
surrogate::ActorCriticOutput reference_output(const surrogate::ActorCriticShape& shape,
                                              std::span<const double> parameters,
                                              const std::vector<double>& state) {
  const double* shared_weights = parameters.data();
  const double* shared_biases = shared_weights + shape.hidden * shape.inputs;
  const double* head_weights = shared_biases + shape.hidden;
  const double* head_biases = head_weights + (shape.actions + 1) * shape.hidden;
  std::vector<double> hidden(shape.hidden);
  for (std::size_t unit = 0; unit < shape.hidden; ++unit) {
    double sum = shared_biases[unit];
    for (std::size_t input = 0; input < shape.inputs; ++input)
      sum += shared_weights[input * shape.hidden + unit] * state[input];
    hidden[unit] = std::max(0.0, sum);
  }
  std::vector<double> heads(shape.actions + 1);
  for (std::size_t head = 0; head < heads.size(); ++head) {
    heads[head] = head_biases[head];
    for (std::size_t unit = 0; unit < shape.hidden; ++unit)
      heads[head] += head_weights[unit * heads.size() + head] * hidden[unit];
  }
  surrogate::ActorCriticOutput output{heads[0], {}};
  double total = 0;
  for (std::size_t action = 0; action < shape.actions; ++action) total += std::exp(heads[action + 1]);
  for (std::size_t action = 0; action < shape.actions; ++action)
    output.policy.push_back(std::exp(heads[action + 1]) / total);
  return output;
}

/** @param frozen the advantages that the policy's term takes for constants; empty: it has its own */
double reference_loss(const surrogate::ActorCriticShape& shape, std::span<const double> parameters,
                      const std::vector<surrogate::Transition>& transitions, double sign,
                      const std::vector<double>& frozen) {
  double loss = 0;
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    const surrogate::ActorCriticOutput output = reference_output(shape, parameters, transitions[i].state);
    const double advantage = transitions[i].reward - output.value;
    loss += sign * std::log(output.policy[transitions[i].action]) * (frozen.empty() ? advantage : frozen[i]);
    loss += advantage * advantage;
  }
  return loss;
}

std::vector<surrogate::Transition> random_transitions(const surrogate::ActorCriticShape& shape,
                                                      std::size_t count, base::Random& random) {
  std::vector<surrogate::Transition> transitions(count);
  for (surrogate::Transition& transition : transitions) {
    for (std::size_t input = 0; input < shape.inputs; ++input)
      transition.state.push_back(random.uniform() - 0.5);
    transition.action = random.below(shape.actions);
    transition.reward = 4 * random.normal();
  }
  return transitions;
}

bool near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

/** The policy of a state after a network learnt, again and again, that of two actions the second pays. */
std::vector<double> policy_of_a_bandit(surrogate::PolicySign sign, bool detached, std::uint64_t seed) {
  surrogate::ActorCritic network({.inputs = 3, .hidden = 16, .actions = 2}, base::Random(seed));
  surrogate::Adam adam(network.parameters().size(), {.learning_rate = 0.01});
  const std::vector<double> state{0.5, -0.25, -0.5};
  for (int step = 0; step < 1000; ++step) {
    adam.step(
        network.parameters(),
        network.gradient(std::vector<surrogate::Transition>{{state, 0, 0}, {state, 1, 1}}, {sign, detached}));
  }
  return network.evaluate(state).policy;
}

}  // namespace

class SurrogateActorCriticTest : public QObject {
  Q_OBJECT

 private slots:
  void output_is_that_of_the_formulas() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 50; ++repeat) {
      const surrogate::ActorCriticShape shape{1 + random.below(9), 1 + random.below(40),
                                              1 + random.below(12)};
      const surrogate::ActorCritic network(shape, base::Random(random.bits()));
      QCOMPARE(network.parameters().size(), shape.parameter_count());
      const std::vector<double> state = random_transitions(shape, 1, random).front().state;
      const surrogate::ActorCriticOutput output = network.evaluate(state);
      const surrogate::ActorCriticOutput expected = reference_output(shape, network.parameters(), state);
      QVERIFY(near(output.value, expected.value, 1e-12));
      QCOMPARE(output.policy.size(), shape.actions);
      for (std::size_t action = 0; action < shape.actions; ++action)
        QVERIFY(near(output.policy[action], expected.policy[action], 1e-12));
    }
  }

  void gradient_is_that_of_finite_differences_data() {
    QTest::addColumn<bool>("ascent");
    QTest::addColumn<bool>("detached");
    for (const bool ascent : {true, false}) {
      for (const bool detached : {true, false}) {
        QTest::addRow("%s, %s", ascent ? "ascent" : "published", detached ? "detached" : "attached")
            << ascent << detached;
      }
    }
  }
  void gradient_is_that_of_finite_differences() {
    QFETCH(bool, ascent);
    QFETCH(bool, detached);
    base::Random random(printed_seed());
    const surrogate::ActorCriticShape shape{4, 7, 5};
    for (int repeat = 0; repeat < 10; ++repeat) {
      const surrogate::ActorCritic network(shape, base::Random(random.bits()));
      const std::vector<surrogate::Transition> transitions = random_transitions(shape, 6, random);
      std::vector<double> frozen;
      for (const surrogate::Transition& transition : transitions) {
        if (detached) frozen.push_back(transition.reward - network.evaluate(transition.state).value);
      }
      const std::vector<double> gradient = network.gradient(
          transitions, {.sign = ascent ? surrogate::PolicySign::Ascent : surrogate::PolicySign::Published,
                        .detached_advantage = detached});
      QCOMPARE(gradient.size(), shape.parameter_count());
      std::vector<double> parameters(network.parameters().begin(), network.parameters().end());
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        constexpr double step = 1e-6;
        const double value = parameters[i];
        const auto loss_at = [&](double moved) {
          parameters[i] = moved;
          return reference_loss(shape, parameters, transitions, ascent ? -1 : 1, frozen);
        };
        const double slope = (loss_at(value + step) - loss_at(value - step)) / (2 * step);
        parameters[i] = value;
        QVERIFY2(near(gradient[i], slope, 1e-6),
                 qPrintable(QString("parameter %1: %2, not %3").arg(i).arg(gradient[i]).arg(slope)));
      }
    }
  }

  void gradient_of_nothing_is_zero() {
    const surrogate::ActorCritic network({3, 4, 2}, base::Random(1));
    QCOMPARE(std::ranges::count(network.gradient({}, {}), 0.0), std::ssize(network.parameters()));
  }

  void certain_policies_stay_finite() {
    // The probability of the second action underflows; its logarithm is -2000 all the same.
    surrogate::ActorCritic network({1, 1, 2}, base::Random(1));
    std::ranges::copy(std::vector<double>{1, 0, 0, 1000, -1000, 0, 0, 0}, network.parameters().begin());
    const surrogate::ActorCriticOutput output = network.evaluate(std::vector<double>{1});
    QCOMPARE(output.policy, (std::vector<double>{1, 0}));
    const std::vector<surrogate::Transition> transitions{{{1.0}, 1, 3.0}};
    const auto gradient = network.gradient(transitions, {surrogate::PolicySign::Ascent, false});
    // Biases of the heads: -2 * advantage + log(probability), then the advantage towards the taken action.
    QVERIFY(near(gradient[5], -6 - 2000, 1e-12));
    QVERIFY(near(gradient[6], 3, 1e-12));
    QVERIFY(near(gradient[7], -3, 1e-12));
    for (const double slope : gradient) QVERIFY(std::isfinite(slope));
  }

  void first_weights_are_uniform_within_the_bounds_of_pytorch() {
    const surrogate::ActorCriticShape shape{16, 400, 24};
    const surrogate::ActorCritic network(shape, base::Random(printed_seed()));
    const std::size_t shared = shape.hidden * (shape.inputs + 1);
    const auto parameters = network.parameters();
    const auto check = [](std::span<const double> numbers, double bound) {
      const double count = static_cast<double>(numbers.size());
      double mean = 0;
      double square = 0;
      for (const double number : numbers) {
        QVERIFY(std::abs(number) <= bound);
        mean += number / bound / count;
        square += number / bound * number / bound / count;
      }
      QVERIFY(std::abs(mean) < 6 / std::sqrt(3 * count));
      QVERIFY(std::abs(square - 1.0 / 3) < 6 * std::sqrt(4.0 / 45 / count));
    };
    check(parameters.first(shared), 1.0 / 4);
    check(parameters.subspan(shared), 1.0 / 20);
  }

  void same_seed_same_bits() {
    const std::uint64_t seed = printed_seed();
    const surrogate::ActorCriticShape shape{11, 128, 30};
    const auto trained = [&] {
      surrogate::ActorCritic network(shape, base::Random(seed));
      surrogate::Adam adam(network.parameters().size(), {});
      base::Random random(seed + 1);
      for (int step = 0; step < 20; ++step) {
        // Moves the numbers to other places of the memory.
        const std::vector<double> elsewhere(random.below(50));
        adam.step(network.parameters(), network.gradient(random_transitions(shape, 6, random), {}));
      }
      return std::vector<double>(network.parameters().begin(), network.parameters().end());
    };
    const std::vector<double> first = trained();
    QVERIFY(first == trained());
    const surrogate::ActorCritic untrained(shape, base::Random(seed));
    QVERIFY(!std::ranges::equal(first, untrained.parameters()));
  }

  void ascent_learns_what_pays_and_the_published_sign_what_does_not() {
    const std::uint64_t seed = printed_seed();
    QVERIFY(policy_of_a_bandit(surrogate::PolicySign::Ascent, true, seed)[1] > 0.95);
    QVERIFY(policy_of_a_bandit(surrogate::PolicySign::Published, true, seed)[1] < 0.05);
  }

  void adam_by_hand() {
    // Gradients 0.5, -1 and 0 for the first number; moments 0.05, -0.055, -0.0495 and 0.00025, 0.00124975,
    // 0.00124850025; both divided by what their zero start leaves: 0.1, 0.19, 0.271 and 0.001, 0.001999,
    // 0.002997001.
    std::vector<double> parameters{1, 2};
    surrogate::Adam adam(2, {.learning_rate = 0.1});
    adam.step(parameters, std::vector<double>{0.5, 0});
    QVERIFY(near(parameters[0], 1 - 0.1 * 0.5 / (0.5 + 1e-8), 1e-14));
    QCOMPARE(parameters[1], 2.0);
    double expected = parameters[0] + 0.1 * (0.055 / 0.19) / (std::sqrt(0.00124975 / 0.001999) + 1e-8);
    adam.step(parameters, std::vector<double>{-1, 0});
    QVERIFY(near(parameters[0], expected, 1e-14));
    expected += 0.1 * (0.0495 / 0.271) / (std::sqrt(0.00124850025 / 0.002997001) + 1e-8);
    adam.step(parameters, std::vector<double>{0, 0});
    QVERIFY(near(parameters[0], expected, 1e-14));
    QCOMPARE(parameters[1], 2.0);
  }

  void adam_takes_its_options() {
    // Without memory and with an epsilon of 1: the learning rate times g / (|g| + 1).
    std::vector<double> parameters{0};
    surrogate::Adam adam(
        1, {.learning_rate = 0.5, .first_moment_decay = 0, .second_moment_decay = 0, .epsilon = 1});
    adam.step(parameters, std::vector<double>{3});
    QCOMPARE(parameters[0], -0.375);
    adam.step(parameters, std::vector<double>{-1});
    QCOMPARE(parameters[0], -0.125);
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateActorCriticTest)

}  // namespace kernelscape::surrogate_actor_critic_test
#include "surrogate_actor_critic_test.moc"
