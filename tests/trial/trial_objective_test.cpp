#include <QTest>
#include <algorithm>
#include <numeric>
#include <random>

#include "core/base/quantile.h"
#include "core/base/random.h"
#include "core/trial/objective.h"
#include "core/trial/table.h"
#include "tests/test_program.h"

namespace kernelscape::trial_objective_test {

namespace {

std::vector<double> random_samples(base::Random& random) {
  std::vector<double> samples(1 + random.below(9));
  for (double& sample : samples) sample = 1e-3 * (1 + random.uniform());
  if (random.chance(0.5)) samples.front() *= 50;  // a cold first run
  return samples;
}

double mean(const std::vector<double>& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

}  // namespace

/** What the time by which a trial is ranked is of its samples. */
class TrialObjectiveTest : public QObject {
  Q_OBJECT

 private slots:
  void kinds() {
    const std::vector<double> samples{1, 2, 3, 10};
    QCOMPARE(trial::objective_kind(2.5, samples), trial::ObjectiveKind::Median);
    QCOMPARE(trial::objective_kind(4, samples), trial::ObjectiveKind::Mean);
    QCOMPARE(trial::objective_kind(1, samples), trial::ObjectiveKind::Minimum);
    QCOMPARE(trial::objective_kind(5, samples), trial::ObjectiveKind::Recorded);
    QCOMPARE(trial::objective_kind(4.000001, samples), trial::ObjectiveKind::Mean);  // as files round
    QCOMPARE(trial::objective_kind(4.001, samples), trial::ObjectiveKind::Recorded);
    QCOMPARE(trial::objective_kind(7, std::vector<double>{7}), trial::ObjectiveKind::Median);
    QCOMPARE(trial::objective_kind(8, std::vector<double>{7}), trial::ObjectiveKind::Recorded);
    QCOMPARE(trial::objective_kind(7, {}), trial::ObjectiveKind::Recorded);
  }

  void a_median_lies_between_its_quartiles() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int round = 0; round < 2000; ++round) {
      const std::vector<double> samples = random_samples(random);
      const double median = base::quantile(samples, 0.5);
      const std::vector<double> objectives{median, mean(samples), std::ranges::min(samples),
                                           median * (1 + 2e-6 * (random.uniform() - 0.5)), random.uniform()};
      trial::Trial trial;
      trial.measurement.samples_seconds = samples;
      trial.measurement.recorded_seconds = objectives[random.below(objectives.size())];
      const trial::Row row = trial::make_row(trial, 0);
      QCOMPARE(row.median_seconds, trial.measurement.ranking_seconds());
      QCOMPARE(row.sample_median_seconds, median);
      QVERIFY(row.first_quartile_seconds <= row.sample_median_seconds);
      QVERIFY(row.sample_median_seconds <= row.third_quartile_seconds);
      if (row.objective != trial::ObjectiveKind::Median) continue;
      QVERIFY(row.first_quartile_seconds <= row.median_seconds);
      QVERIFY(row.median_seconds <= row.third_quartile_seconds);
    }
  }

  void without_an_own_objective_it_is_the_median() {
    trial::Trial trial;
    trial.measurement.samples_seconds = {1, 2, 3, 10};
    const trial::Row row = trial::make_row(trial, 0);
    QCOMPARE(row.objective, trial::ObjectiveKind::Median);
    QCOMPARE(row.sample_median_seconds, row.median_seconds);
  }
};

KERNELSCAPE_PLAIN_TEST(TrialObjectiveTest)

}  // namespace kernelscape::trial_objective_test

#include "trial_objective_test.moc"
