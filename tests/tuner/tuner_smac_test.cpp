#include <cmath>

#include "core/tuner/log_improvement.h"
#include "core/tuner/log_scaled_times.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_smac_test {
using namespace kernelscape::tuner_fixture;

class TunerSmacTest : public QObject {
  Q_OBJECT

 private slots:
  void improvement_of_a_logarithm_is_an_integral() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 30; ++repeat) {
      const double mean = 2 * random.uniform() - 1;
      const double deviation = 0.05 + random.uniform();
      const double best = 2 * random.uniform() - 1;
      // The midpoint rule over ten standard deviations.
      constexpr int steps = 20'000;
      double sum = 0;
      for (int step = 0; step < steps; ++step) {
        const double z = -10 + 20 * (step + 0.5) / steps;
        const double gain = std::max(0.0, std::exp(best) - std::exp(mean + deviation * z));
        sum += gain * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0)) * 20 / steps;
      }
      QVERIFY(std::abs(tuner::log_improvement(mean, deviation, best) - sum) < 1e-5);
    }
    QCOMPARE(tuner::log_improvement(0.5, 0, 0), 0.0);
    QCOMPARE(tuner::log_improvement(-0.5, 0, 0), 1 - std::exp(-0.5));
  }

  void times_are_scaled_before_their_logarithm() {
    // Of 41 times in any order, of which two failed, the third smallest is the 5th percentile.
    base::Random random(printed_seed());
    std::vector<double> times;
    for (int trial = 0; trial < 39; ++trial) times.push_back(0.01 + random.uniform());
    std::vector<trial::Observation> trials{{{}, 0, trial::ErrorCategory::RuntimeDevice}};
    for (const double time : times) trials.push_back({{}, 1e9 / time, trial::ErrorCategory::NoError});
    trials.push_back({{}, 0, trial::ErrorCategory::BuildTimeout});
    std::vector<double> sorted = times;
    std::ranges::sort(sorted);
    const double low = 2 * sorted[0] - sorted[2];
    const std::vector<double> labels = tuner::log_scaled_times(trials);
    QCOMPARE(labels.size(), std::size_t{41});
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double expected = std::log((times[i] - low) / (sorted.back() - low));
      QVERIFY(std::abs(labels[i + 1] - expected) < 1e-4);
    }
    QVERIFY(std::abs(labels.front()) < 1e-9 && std::abs(labels.back()) < 1e-9);
    // Equal times are all the fastest and the slowest.
    const std::vector<trial::Observation> equal(3, {{}, 5, trial::ErrorCategory::NoError});
    QCOMPARE(tuner::log_scaled_times(equal), std::vector<double>(3, 0.0));
  }

  void start_is_ten_trials_a_knob_or_a_tenth_of_the_budget_data() {
    QTest::addColumn<int>("budget");
    QTest::addColumn<int>("random_trials");
    QTest::newRow("no budget") << 0 << 30;
    QTest::newRow("small budget") << 100 << 10;
    QTest::newRow("large budget") << 1000 << 30;
  }

  void start_is_ten_trials_a_knob_or_a_tenth_of_the_budget() {
    QFETCH(int, budget);
    QFETCH(int, random_trials);
    // Trials that depend on what was measured are not random.
    const std::uint64_t seed = printed_seed();
    const auto run = [&](const Fitness& fitness) {
      auto context = make_context("smac", plain_space({30, 30, 30, 1}), seed,
                                  {{"challengers", "100"}, {"random_probability", "0"}});
      context.trial_budget = budget;
      const auto tuner = make_tuner("smac", context);
      return run_tuner(*tuner, fitness, 60, always(1));
    };
    const auto one = run([](const space::Configuration& at) { return 1.0 + at.indices[0]; });
    const auto other = run([](const space::Configuration& at) { return 40.0 - at.indices[0]; });
    const auto first = std::ranges::mismatch(one, other).in1 - one.begin();
    QCOMPARE(static_cast<int>(first), random_trials);
  }

  void model_finds_what_is_fast() {
    const std::uint64_t seed = printed_seed();
    // Hardly two times are equal, as of real kernels: what smac learns depends on the differences of the
    // fastest.
    const auto fitness = [](const space::Configuration& at) {
      return at.indices[2] == 0 ? 0 : 1.0 / (1 + at.indices[0] + 1.1 * at.indices[1] + 0.01 * at.indices[2]);
    };
    const auto tuner =
        make_tuner("smac", make_context("smac", plain_space({20, 20, 20}), seed,
                                        {{"challengers", "500"}, {"random_probability", "0"}}));
    const auto proposed = run_tuner(*tuner, fitness, 90, always(1));
    std::size_t failed = 0;
    double best = 0;
    for (std::size_t i = 30; i < proposed.size(); ++i) {
      if (fitness(proposed[i]) <= 0) ++failed;
      best = std::max(best, fitness(proposed[i]));
    }
    QVERIFY(best >= 0.8);
    QVERIFY(failed <= 15);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerSmacTest)

}  // namespace kernelscape::tuner_smac_test
#include "tuner_smac_test.moc"
