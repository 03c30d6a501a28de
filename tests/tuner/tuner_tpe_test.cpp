#include <cmath>

#include "core/tuner/parzen_estimator.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_tpe_test {
using namespace kernelscape::tuner_fixture;

namespace {

space::Knob texts(std::int64_t count) {
  std::vector<space::KnobValue> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back("text " + std::to_string(i));
  return *space::Knob::categorical("texts", std::move(values));
}

std::vector<std::uint32_t> random_trials(std::size_t trials, std::uint32_t count, base::Random& random) {
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < trials; ++i) values.push_back(static_cast<std::uint32_t>(random.below(count)));
  return values;
}

}  // namespace

class TunerTpeTest : public QObject {
  Q_OBJECT

 private slots:
  void weights_of_old_trials_fall() {
    QCOMPARE(tuner::parzen_weights(25), std::vector<double>(25, 1.0));
    const std::vector<double> weights = tuner::parzen_weights(50);
    QCOMPARE(weights.front(), 1.0 / 50);
    for (std::size_t i = 0; i < 24; ++i)
      QVERIFY(std::abs(weights[i + 1] - weights[i] - (1 - 1.0 / 50) / 24) < 1e-12);
    for (std::size_t i = 24; i < 50; ++i) QVERIFY(std::abs(weights[i] - 1) < 1e-12);
  }

  void probabilities_sum_to_1_and_are_those_of_draws() {
    base::Random random(printed_seed());
    for (const space::Knob& knob : {numbers("ordinal", 9), texts(9)}) {
      for (const std::size_t trials : {0U, 1U, 7U, 40U}) {
        const tuner::ParzenEstimator estimator(knob, random_trials(trials, 9, random), 1);
        double sum = 0;
        for (std::uint32_t value = 0; value < 9; ++value) sum += estimator.probability(value);
        QVERIFY(std::abs(sum - 1) < 1e-9);
        constexpr int draws = 20'000;
        std::vector<int> counts(9);
        for (int draw = 0; draw < draws; ++draw) ++counts[estimator.draw(random)];
        // Six standard deviations of a count.
        for (std::uint32_t value = 0; value < 9; ++value) {
          const double expected = estimator.probability(value) * draws;
          QVERIFY(std::abs(counts[value] - expected) <= 6 * std::sqrt(expected) + 6);
        }
      }
    }
  }

  void values_without_order_count_trials() {
    // Each of n trials has a kernel: n + 2 parts of its value, 1 of each other. The prior is uniform.
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 50; ++repeat) {
      const std::size_t n = random.below(20);
      const std::vector<std::uint32_t> trials = random_trials(n, 6, random);
      const tuner::ParzenEstimator estimator(texts(6), trials, 1);
      for (std::uint32_t value = 0; value < 6; ++value) {
        const auto kernels = static_cast<double>(n + 1);
        double expected = 1 / (6 * kernels);
        for (const std::uint32_t trial : trials)
          expected += (trial == value ? kernels + 1 : 1) / (kernels + 6) / kernels;
        QVERIFY(std::abs(estimator.probability(value) - expected) < 1e-12);
      }
    }
  }

  void good_values_are_tried() {
    // One value of each knob is better than the others: after 60 trials it is more frequent.
    const std::uint64_t seed = printed_seed();
    double tpe = 0;
    double random = 0;
    for (const char* name : {"tpe", "random"}) {
      for (std::uint64_t run = 0; run < 10; ++run) {
        const auto tuner = make_tuner(name, make_context(name, plain_space({8, 8, 8, 8, 8}), seed + run));
        const auto fitness = [](const space::Configuration& one) {
          return 1.0 + static_cast<double>(std::ranges::count(one.indices, 3U));
        };
        const auto proposed = run_tuner(*tuner, fitness, 100, always(1));
        for (std::size_t i = 60; i < 100; ++i)
          (std::string(name) == "tpe" ? tpe : random) += fitness(proposed[i]);
      }
    }
    qInfo("tpe %g, random %g", tpe, random);
    QVERIFY(tpe > 1.1 * random);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerTpeTest)

}  // namespace kernelscape::tuner_tpe_test
#include "tuner_tpe_test.moc"
