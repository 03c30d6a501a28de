#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/base/random.h"
#include "core/trial/fields.h"
#include "core/trial/recording.h"
#include "core/trial/recording_builder.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::trial_metrics_test {

namespace {

constexpr std::int64_t several_chunks = 3000;

space::SearchSpace one_knob(std::int64_t values) {
  std::vector<space::KnobValue> all;
  for (std::int64_t value = 0; value < values; ++value) all.emplace_back(value);
  return space::SearchSpace::make({space::Knob::ordinal("x", all).value()}).value();
}

std::vector<double> random_metrics(base::Random& random) {
  std::vector<double> values(random.below(4));
  for (double& value : values) value = random.chance(0.2) ? std::nan("") : random.normal();
  return values;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

class TrialMetricsTest : public QObject {
  Q_OBJECT

 private slots:
  /** The number of metrics grows while snapshots are held. */
  void snapshots_hold_the_metrics_of_their_trials() {
    base::Random random(testing::random_seed());
    trial::Table table(1);
    std::vector<std::vector<double>> expected;
    std::vector<trial::Snapshot> snapshots;
    for (std::int64_t number = 0; number < several_chunks; ++number) {
      expected.push_back(random_metrics(random));
      table.append({.number = number}, {{0}}, expected.back());
      if (random.chance(0.01)) snapshots.push_back(table.snapshot());
    }
    snapshots.push_back(table.snapshot());
    for (const trial::Snapshot& snapshot : snapshots)
      for (std::int64_t row = 0; row < snapshot.size(); ++row)
        for (std::size_t metric = 0; metric < 5; ++metric) {
          const std::vector<double>& values = expected[static_cast<std::size_t>(row)];
          QVERIFY(same(snapshot.metric(row, metric), metric < values.size() ? values[metric] : std::nan("")));
        }
    QVERIFY_EXCEPTION_THROWN(std::ignore = snapshots.back().metric(several_chunks, 0), std::out_of_range);
  }

  void tables_without_metrics_take_no_memory_for_them() {
    trial::Table with(1);
    trial::Table without(1);
    for (std::int64_t number = 0; number < several_chunks; ++number) {
      without.append({.number = number}, {{0}});
      // Only the first chunk has one.
      with.append({.number = number}, {{0}}, number == 0 ? std::vector<double>{1} : std::vector<double>());
    }
    constexpr std::size_t column_bytes = 1024 * sizeof(double);
    QCOMPARE(with.memory_bytes(), without.memory_bytes() + column_bytes);
  }

  void growing_metrics_take_memory_in_proportion() {
    constexpr std::size_t metrics = 100;
    constexpr std::size_t column_bytes = 1024 * sizeof(double);
    trial::Table growing(1);
    trial::Table without(1);
    for (std::size_t count = 1; count <= metrics; ++count) {
      growing.append({}, {{0}}, std::vector<double>(count, static_cast<double>(count)));
      without.append({}, {{0}});
    }
    const std::size_t taken = growing.memory_bytes() - without.memory_bytes();
    // Earlier columns are kept for readers, and count.
    QVERIFY(taken > metrics * column_bytes && taken < 4 * metrics * column_bytes);
    const trial::Snapshot snapshot = growing.snapshot();
    for (std::size_t row = 0; row < metrics; ++row)
      for (std::size_t metric = 0; metric < metrics; ++metric)
        QVERIFY(same(snapshot.metric(static_cast<std::int64_t>(row), metric),
                     metric <= row ? static_cast<double>(row + 1) : std::nan("")));
  }

  void recordings_keep_names_units_and_values() {
    base::Random random(testing::random_seed());
    const space::SearchSpace space = one_knob(40);
    trial::RecordingBuilder builder({}, space);
    std::vector<trial::Measurement> expected(40);
    for (std::uint32_t index = 0; index < expected.size(); ++index) {
      trial::Measurement& measurement = expected[index];
      measurement.samples_seconds = {1 + random.uniform()};
      if (random.chance(0.7)) measurement.metrics.push_back({"energy", "J", random.normal()});
      if (random.chance(0.7)) measurement.metrics.push_back({"spread", "", random.normal()});
      QVERIFY(builder.add({{index}}, measurement));
    }
    expected[39].metrics = {{"energy", "J", 2}, {"spread", "", 3}};
    QVERIFY(builder.add({{39}}, expected[39]));
    const auto recording = *builder.build();
    const auto read = *trial::Recording::from_bytes(std::string(recording->bytes()), "a copy");
    const std::vector<trial::MetricName> names = read->metric_names();
    QCOMPARE(names.size(), std::size_t{2});
    QVERIFY(std::ranges::find(names, trial::MetricName{"energy", "J"}) != names.end());
    std::vector<double> values;
    for (std::uint32_t row = 0; row < read->size(); ++row) {
      const trial::Measurement measurement = read->measurement(row);
      QCOMPARE(measurement.metrics.size(), expected[row].metrics.size());
      read->read_metrics(row, values);
      for (const trial::Metric& metric : expected[row].metrics) {
        QVERIFY(std::ranges::find(measurement.metrics, metric) != measurement.metrics.end());
        const auto place = std::ranges::find(names, metric.name, &trial::MetricName::name) - names.begin();
        QCOMPARE(values[static_cast<std::size_t>(place)], metric.value);
      }
    }
  }

  void impossible_metrics_are_refused_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("value");
    QTest::newRow("not a number") << "energy" << std::nan("");
    QTest::newRow("infinite") << "energy" << std::numeric_limits<double>::infinity();
    QTest::newRow("no name") << "" << 1.0;
    QTest::newRow("a name that exists") << "size" << 1.0;
    QTest::newRow("a long name") << QString(2000, 'x') << 1.0;
  }
  void impossible_metrics_are_refused() {
    QFETCH(QString, name);
    QFETCH(double, value);
    trial::Measurement measurement;
    measurement.metrics = {{"size", "B", 1}};
    QVERIFY(trial::plausible(measurement));
    measurement.metrics.push_back({name.toStdString(), "", value});
    QVERIFY(!trial::plausible(measurement));
    trial::RecordingBuilder builder({}, one_knob(2));
    QVERIFY(!builder.add({{0}}, measurement));
  }

  void a_users_number_comes_before_ours() {
    trial::Measurement measurement;
    measurement.add_metric({"energy", "J", 1});
    measurement.add_metric({"energy", "J", 2});
    QCOMPARE(measurement.metrics.size(), std::size_t{1});
    QCOMPARE(measurement.metrics.front().value, 1.0);
  }
};

KERNELSCAPE_PLAIN_TEST(TrialMetricsTest)

}  // namespace kernelscape::trial_metrics_test
#include "trial_metrics_test.moc"
