#include <QTest>
#include <cmath>
#include <random>
#include <set>

#include "core/base/quantile.h"
#include "core/base/random.h"
#include "core/trial/table.h"
#include "tests/test_program.h"

namespace kernelscape::trial_measurement_test {

namespace {

/** By definition: the value at which the polygon through (i / (n - 1), sorted value i) has this abscissa. */
double quantile_by_definition(std::vector<double> values, double q) {
  std::multiset<double> sorted(values.begin(), values.end());
  values.assign(sorted.begin(), sorted.end());
  if (values.size() == 1) return values[0];
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double left = static_cast<double>(i) / static_cast<double>(values.size() - 1);
    const double right = static_cast<double>(i + 1) / static_cast<double>(values.size() - 1);
    if (q <= right) return values[i] + (values[i + 1] - values[i]) * (q - left) / (right - left);
  }
  return values.back();
}

trial::Trial trial_with(trial::ErrorCategory category, std::vector<double> samples) {
  trial::Trial trial;
  trial.number = 12;
  trial.batch = 3;
  trial.position = 2;
  trial.configuration = {{4, 5}};
  trial.measurement.category = category;
  trial.measurement.samples_seconds = std::move(samples);
  trial.measurement.build_seconds = 0.25;
  trial.measurement.run_seconds = 0.5;
  trial.measurement.cut_short = true;
  trial.finished_seconds = 7;
  return trial;
}

}  // namespace

class TrialMeasurementTest : public QObject {
  Q_OBJECT

 private slots:
  void quantiles_follow_the_definition() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int round = 0; round < 2000; ++round) {
      std::vector<double> values(1 + random.below(12));
      for (double& value : values) value = random.chance(0.3) ? 1.5 : random.normal();
      const double q = random.chance(0.2) ? static_cast<double>(random.below(5)) / 4 : random.uniform();
      QVERIFY(std::abs(base::quantile(values, q) - quantile_by_definition(values, q)) < 1e-9);
    }
  }

  void quantiles_at_the_edges() {
    QCOMPARE(base::quantile({}, 0.5), 0.0);
    QCOMPARE(base::quantile({3}, 0.9), 3.0);
    QCOMPARE(base::quantile({4, 1, 3, 2}, 0.5), 2.5);
    QCOMPARE(base::quantile({4, 1, 3, 2}, -1), 1.0);
    QCOMPARE(base::quantile({4, 1, 3, 2}, 2), 4.0);
    const double infinite = std::numeric_limits<double>::infinity();
    QCOMPARE(base::quantile({1, infinite}, 0), 1.0);
  }

  void category_names_are_the_papers() {
    QCOMPARE(trial::to_string(trial::ErrorCategory::NoError), std::string_view("NO_ERROR"));
    QCOMPARE(trial::to_string(trial::ErrorCategory::RunTimeout), std::string_view("RUN_TIMEOUT"));
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < trial::error_category_count; ++i)
      names.insert(trial::to_string(static_cast<trial::ErrorCategory>(i)));
    QCOMPARE(names.size(), trial::error_category_count);
  }

  void fitness_is_speed() {
    const trial::Trial valid = trial_with(trial::ErrorCategory::NoError, {0.5, 0.25, 0.125});
    QCOMPARE(trial::observe_trial(valid, 2e9).fitness, 8.0);
    QCOMPARE(trial::observe_trial(valid, 0).fitness, 4.0);
    QCOMPARE(trial::observe_trial(valid, 0).configuration, valid.configuration);
    QCOMPARE(trial::observe_trial(trial_with(trial::ErrorCategory::NoError, {}), 2e9).fitness, 0.0);
    const trial::Observation error =
        trial::observe_trial(trial_with(trial::ErrorCategory::WrongAnswer, {}), 2e9);
    QCOMPARE(error.fitness, 0.0);
    QCOMPARE(error.category, trial::ErrorCategory::WrongAnswer);
  }

  void a_row_holds_what_charts_need() {
    const trial::Row row = trial::make_row(trial_with(trial::ErrorCategory::NoError, {4, 1, 3, 2, 5}), 9);
    QCOMPARE(row.number, 12);
    QCOMPARE(row.batch, 3);
    QCOMPARE(row.position, 2);
    QCOMPARE(row.sample_count, 5);
    QCOMPARE(row.first_quartile_seconds, 2.0);
    QCOMPARE(row.median_seconds, 3.0);
    QCOMPARE(row.third_quartile_seconds, 4.0);
    QCOMPARE(row.build_seconds, 0.25);
    QCOMPARE(row.run_seconds, 0.5);
    QCOMPARE(row.finished_seconds, 7.0);
    QCOMPARE(row.message, 9);
    QVERIFY(row.cut_short);
  }

  void an_error_has_no_time() {
    const trial::Row row = trial::make_row(trial_with(trial::ErrorCategory::WrongAnswer, {}), 0);
    QCOMPARE(row.category, trial::ErrorCategory::WrongAnswer);
    QCOMPARE(row.sample_count, 0);
    QCOMPARE(row.median_seconds, 0.0);
    QCOMPARE(trial::make_row(trial_with(trial::ErrorCategory::NoError, std::vector<double>(70'000, 1)), 0)
                 .sample_count,
             65'535);
  }

  void saved_samples_are_those_of_valid_trials() {
    trial::Trial trial = trial_with(trial::ErrorCategory::NoError, {1, 2});
    trial.measurement.samples_saved = 350;
    QCOMPARE(trial::make_row(trial, 0).samples_saved, 350);
    trial.measurement.samples_saved = 70'000;
    QCOMPARE(trial::make_row(trial, 0).samples_saved, 65'535);
    trial::Trial error = trial_with(trial::ErrorCategory::WrongAnswer, {});
    error.measurement.samples_saved = 350;
    QCOMPARE(trial::make_row(error, 0).samples_saved, 0);
  }
};

KERNELSCAPE_PLAIN_TEST(TrialMeasurementTest)

}  // namespace kernelscape::trial_measurement_test
#include "trial_measurement_test.moc"
