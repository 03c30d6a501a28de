#include <QTest>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "core/surrogate/network/optimizer.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_optimizer_test {

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b)); }

std::vector<float> random_floats(std::size_t count, base::Random& random) {
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(random.normal());
  return numbers;
}

}  // namespace

class SurrogateOptimizerTest : public QObject {
  Q_OBJECT

 private slots:
  void adam_by_hand() {
    // Gradients 0.5 and -1 for the first number: moments 0.05, -0.055 and 0.00025, 0.00124975, divided by
    // what their start at zero leaves: 0.1, 0.19 and 0.001, 0.001999.
    std::vector<float> parameters{1, 2};
    surrogate::Optimizer optimizer(2, {});
    optimizer.step(parameters, std::vector<float>{0.5F, 0}, 0.1);
    QVERIFY(near(parameters[0], 0.9));
    QCOMPARE(parameters[1], 2.0F);
    optimizer.step(parameters, std::vector<float>{-1, 0}, 0.2);
    QVERIFY(near(parameters[0], 0.9 + 0.2 * (0.055 / 0.19) / std::sqrt(0.00124975 / 0.001999)));
    QCOMPARE(parameters[1], 2.0F);
  }

  void decay_is_apart_from_the_gradient() {
    // No gradient: a number shrinks by the rate times the decay, whatever the moments.
    std::vector<float> parameters{8, -4};
    surrogate::Optimizer optimizer(2, {.weight_decay = 0.5});
    optimizer.step(parameters, std::vector<float>{0, 0}, 0.25);
    QCOMPARE(parameters, (std::vector<float>{7, -3.5F}));
  }

  void l2_is_a_part_of_the_gradient() {
    // No gradient of the loss: the first step of Adam is the rate, whatever the size of the gradient.
    std::vector<float> parameters{8, -4, 0};
    surrogate::Optimizer optimizer(3, {.weight_decay = 0.5, .decay = surrogate::WeightDecay::Gradient});
    optimizer.step(parameters, std::vector<float>{0, 0, 0}, 0.25);
    QVERIFY(near(parameters[0], 7.75));
    QVERIFY(near(parameters[1], -3.75));
    QCOMPARE(parameters[2], 0.0F);
  }

  /** As the documentation of PyTorch's Adam writes the algorithm, with 64 bits. */
  void l2_is_that_of_the_published_optimizer() {
    base::Random random(testing::random_seed());
    const std::size_t count = 1 + random.below(50);
    constexpr double decay = 0.02;
    std::vector<float> parameters = random_floats(count, random);
    surrogate::Optimizer optimizer(count, {.weight_decay = decay, .decay = surrogate::WeightDecay::Gradient});
    std::vector<double> expected(parameters.begin(), parameters.end());
    std::vector<double> first(count);
    std::vector<double> second(count);
    for (int step = 1; step <= 50; ++step) {
      const std::vector<float> gradient = random_floats(count, random);
      optimizer.step(parameters, gradient, 1e-2);
      for (std::size_t i = 0; i < count; ++i) {
        const double slope = static_cast<double>(gradient[i]) + decay * expected[i];
        first[i] = 0.9 * first[i] + 0.1 * slope;
        second[i] = 0.999 * second[i] + 0.001 * slope * slope;
        const double first_moment = first[i] / (1 - std::pow(0.9, step));
        const double second_moment = second[i] / (1 - std::pow(0.999, step));
        expected[i] -= 1e-2 * first_moment / (std::sqrt(second_moment) + 1e-8);
        QVERIFY(std::abs(static_cast<double>(parameters[i]) - expected[i]) <= 1e-4);
      }
    }
  }

  void options_are_taken() {
    // Without memory and with an epsilon of 1: the rate times g / (|g| + 1).
    std::vector<float> parameters{0};
    surrogate::Optimizer optimizer(1, {.first_moment_decay = 0, .second_moment_decay = 0, .epsilon = 1});
    optimizer.step(parameters, std::vector<float>{3}, 0.5);
    QCOMPARE(parameters[0], -0.375F);
    optimizer.step(parameters, std::vector<float>{-1}, 0.5);
    QCOMPARE(parameters[0], -0.125F);
  }

  void another_resumes_from_its_state() {
    base::Random random(testing::random_seed());
    const std::size_t count = 1 + random.below(100);
    const surrogate::OptimizerOptions options{.weight_decay = 1e-2};
    std::vector<float> parameters = random_floats(count, random);
    surrogate::Optimizer optimizer(count, options);
    for (std::uint64_t step = random.below(5); step > 0; --step)
      optimizer.step(parameters, random_floats(count, random), 1e-2);

    std::vector<float> other_parameters = parameters;
    surrogate::Optimizer other(count, options);
    QVERIFY(other.set_state(optimizer.state()));
    QCOMPARE(other.state(), optimizer.state());
    for (int step = 0; step < 5; ++step) {
      const std::vector<float> gradient = random_floats(count, random);
      optimizer.step(parameters, gradient, 1e-2);
      other.step(other_parameters, gradient, 1e-2);
    }
    QCOMPARE(other_parameters, parameters);
  }

  void states_that_cannot_be_are_refused_data() {
    QTest::addColumn<std::vector<float>>("state");
    QTest::addRow("nothing") << std::vector<float>{};
    QTest::addRow("short") << std::vector<float>{1, 0, 0, 0};
    QTest::addRow("long") << std::vector<float>{1, 0, 0, 0, 0, 0};
    QTest::addRow("half a step") << std::vector<float>{0.5F, 0, 0, 0, 0};
    QTest::addRow("fewer than no steps") << std::vector<float>{-1, 0, 0, 0, 0};
    QTest::addRow("endless steps") << std::vector<float>{1e30F, 0, 0, 0, 0};
    QTest::addRow("no number") << std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 0, 0, 0};
    QTest::addRow("square below zero") << std::vector<float>{1, 0, 0, 0, -1};
  }
  void states_that_cannot_be_are_refused() {
    QFETCH(std::vector<float>, state);
    surrogate::Optimizer optimizer(2, {});
    const std::vector<float> before = optimizer.state();
    QCOMPARE(optimizer.set_state(state).error().code, ErrorCode::Corrupt);
    QCOMPARE(optimizer.state(), before);
  }

  void rate_falls_along_half_a_cosine() {
    QCOMPARE(surrogate::cosine_rate(0.5, 0, 10), 0.5);
    QVERIFY(near(surrogate::cosine_rate(0.5, 5, 10), 0.25));
    QVERIFY(near(surrogate::cosine_rate(0.5, 10, 10), 0));
    for (int epoch = 0; epoch < 10; ++epoch)
      QVERIFY(surrogate::cosine_rate(1, epoch + 1, 10) < surrogate::cosine_rate(1, epoch, 10));
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateOptimizerTest)

}  // namespace kernelscape::surrogate_optimizer_test
#include "surrogate_optimizer_test.moc"
