#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/predictor/evaluation.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::predictor_evaluation_test {
using kernelscape::testing::random_seed;

namespace {

/** Few values, so that many are equal. */
std::vector<float> random_column(std::size_t count, std::uint64_t values, base::Random& random) {
  std::vector<float> column;
  for (std::size_t i = 0; i < count; ++i) column.push_back(1 + static_cast<float>(random.below(values)));
  return column;
}

/** As Kendall wrote it down: by all pairs. */
double tau_by_pairs(const std::vector<float>& a, const std::vector<float>& b) {
  double concordance = 0;
  double unequal_a = 0;
  double unequal_b = 0;
  const auto sign = [](float x, float y) { return (x > y ? 1 : 0) - (x < y ? 1 : 0); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      concordance += sign(a[i], a[j]) * sign(b[i], b[j]);
      unequal_a += sign(a[i], a[j]) != 0 ? 1 : 0;
      unequal_b += sign(b[i], b[j]) != 0 ? 1 : 0;
    }
  }
  const double pairs = std::sqrt(unequal_a * unequal_b);
  return pairs == 0 ? 0 : concordance / pairs;
}

/** The mean over all sets of so many members. */
double random_regret_by_sets(const std::vector<float>& fitness, int draws) {
  const double best = std::ranges::max(fitness);
  double sum = 0;
  double sets = 0;
  for (std::uint32_t set = 0; set < (std::uint32_t{1} << fitness.size()); ++set) {
    if (std::popcount(set) != draws) continue;
    double found = 0;
    for (std::size_t i = 0; i < fitness.size(); ++i)
      if ((set >> i & 1U) != 0) found = std::max<double>(found, fitness[i]);
    sum += (best - found) / best;
    sets += 1;
  }
  return sum / sets;
}

predictor::TaskSamples task_of(std::vector<float> fitness) {
  predictor::TaskSamples samples;
  samples.task = *task::parse_task("matmul 16x32 32x64");
  for (std::size_t i = 0; i < fitness.size(); ++i)
    samples.configurations.push_back({{static_cast<std::uint32_t>(i)}});
  samples.fitness = std::move(fitness);
  return samples;
}

std::vector<predictor::RegretAt> regret_of(const std::vector<float>& fitness,
                                           const std::vector<float>& predictions) {
  return predictor::task_outcome(task_of(fitness), predictor::DataPart::Test, predictions).regret;
}

predictor::TaskOutcome outcome_with(predictor::DataPart part, double tau) {
  predictor::TaskOutcome outcome;
  outcome.part = part;
  outcome.kendall_tau = tau;
  return outcome;
}

}  // namespace

class PredictorEvaluationTest : public QObject {
  Q_OBJECT

 private slots:
  void tau_is_that_of_all_pairs() {
    base::Random random(random_seed());
    for (int i = 0; i < 300; ++i) {
      const std::size_t count = random.below(60);
      const std::vector<float> a = random_column(count, 1 + random.below(100), random);
      const std::vector<float> b = random_column(count, 1 + random.below(100), random);
      QVERIFY(std::abs(predictor::kendall_tau(a, b) - tau_by_pairs(a, b)) < 1e-12);
    }
  }

  void tau_by_hand() {
    const std::vector<float> up{1, 2, 3, 4};
    const std::vector<float> down{9, 7, 5, 1};
    QCOMPARE(predictor::kendall_tau(up, up), 1.0);
    QCOMPARE(predictor::kendall_tau(up, down), -1.0);
    QCOMPARE(predictor::kendall_tau(up, std::vector<float>{1, 2, 4, 3}), 4.0 / 6);
    QCOMPARE(predictor::kendall_tau(up, std::vector<float>(4, 5)), 0.0);
    QCOMPARE(predictor::kendall_tau(up, std::vector<float>{1, 2, 3, std::numeric_limits<float>::quiet_NaN()}),
             0.0);
    QCOMPARE(predictor::kendall_tau({}, {}), 0.0);
  }

  void random_regret_is_that_of_all_sets() {
    base::Random random(random_seed());
    for (int i = 0; i < 40; ++i) {
      const std::vector<float> fitness = random_column(4 + random.below(9), 1 + random.below(50), random);
      const std::vector<predictor::RegretAt> regret = regret_of(fitness, fitness);
      QCOMPARE(regret.size(), std::size_t{2});
      for (const predictor::RegretAt& at : regret) {
        const double expected = random_regret_by_sets(fitness, static_cast<int>(at.measurements));
        QVERIFY2(std::abs(at.random - expected) < 1e-9,
                 fmt::format("{} is not {}", at.random, expected).c_str());
        QCOMPARE(at.predicted, 0.0);
      }
    }
  }

  void predicted_regret_is_of_the_best_of_the_highest_predictions() {
    // By prediction: 50, 20, 80, 10, 100.
    const std::vector<predictor::RegretAt> regret =
        regret_of({10, 20, 50, 80, 100}, {2, 4, 5, 3, std::numeric_limits<float>::quiet_NaN()});
    QCOMPARE(regret.size(), std::size_t{2});
    QCOMPARE(regret[0].measurements, 1);
    QCOMPARE(regret[0].predicted, 0.5);
    QCOMPARE(regret[1].measurements, 4);
    QCOMPARE(regret[1].predicted, 0.2);
    // Of equal predictions the first.
    QCOMPARE(regret_of({10, 20}, {1, 1})[0].predicted, 0.5);
    QCOMPARE(regret_of({20, 10}, {1, 1})[0].predicted, 0.0);
  }

  void there_is_regret_after_as_many_measurements_as_there_are_samples() {
    base::Random random(random_seed());
    const std::vector<std::int64_t> points{1, 4, 16, 64};
    for (const std::size_t samples : std::initializer_list<std::size_t>{0, 1, 3, 4, 15, 16, 63, 64, 200}) {
      const std::vector<float> fitness = random_column(samples, 1000, random);
      const predictor::TaskOutcome outcome = predictor::task_outcome(
          task_of(fitness), predictor::DataPart::Validation, random_column(samples, 1000, random));
      QCOMPARE(outcome.task, std::string("matmul 16x32 32x64 f32"));
      QVERIFY(outcome.part == predictor::DataPart::Validation);
      QCOMPARE(outcome.samples, static_cast<std::int64_t>(samples));
      QCOMPARE(outcome.best_fitness, samples == 0 ? 0.0 : static_cast<double>(std::ranges::max(fitness)));
      const auto known = std::ranges::count_if(
          points, [&](std::int64_t point) { return point <= static_cast<std::int64_t>(samples); });
      QCOMPARE(std::ssize(outcome.regret), known);
      double last_predicted = 1;
      double last_random = 1;
      for (std::size_t i = 0; i < outcome.regret.size(); ++i) {
        const predictor::RegretAt& at = outcome.regret[i];
        QCOMPARE(at.measurements, points[i]);
        QVERIFY(at.predicted >= 0 && at.predicted <= last_predicted);
        QVERIFY(at.random >= 0 && at.random <= last_random);
        last_predicted = at.predicted;
        last_random = at.random;
        if (at.measurements == static_cast<std::int64_t>(samples)) {
          QCOMPARE(at.predicted, 0.0);
          QCOMPARE(at.random, 0.0);
        }
      }
    }
  }

  void the_median_is_of_the_tasks_of_a_part() {
    const std::vector<predictor::TaskOutcome> outcomes{
        outcome_with(predictor::DataPart::Test, 0.2), outcome_with(predictor::DataPart::Validation, 0.9),
        outcome_with(predictor::DataPart::Test, 0.8), outcome_with(predictor::DataPart::Test, 0.6)};
    QCOMPARE(predictor::median_tau(outcomes, predictor::DataPart::Test), 0.6);
    QCOMPARE(predictor::median_tau(outcomes, predictor::DataPart::Validation), 0.9);
    QVERIFY(std::isnan(predictor::median_tau(outcomes, predictor::DataPart::Training)));
    QCOMPARE(predictor::median_tau(std::span(outcomes).first(3), predictor::DataPart::Test), 0.5);
  }
};

KERNELSCAPE_PLAIN_TEST(PredictorEvaluationTest)

}  // namespace kernelscape::predictor_evaluation_test
#include "predictor_evaluation_test.moc"
