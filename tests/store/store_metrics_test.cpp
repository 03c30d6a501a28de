#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/store/schema.h"
#include "tests/store/damage_support.h"
#include "tests/store/whole_store.h"
#include "tests/test_program.h"

namespace kernelscape::store_metrics_test {
using namespace kernelscape::store_test;

namespace {

constexpr std::size_t knob_count = 3;
constexpr std::int64_t version_without_metrics = 12;

/** Trials with some of the metrics, in an order that differs from trial to trial. */
std::vector<trial::Trial> trials_with_metrics(base::Random& random, std::int64_t count) {
  std::vector<trial::Metric> metrics{{"energy", "J", 0}, {"code_size", "B", 0}, {"\xc3\xa9 \"x\"", "", 0}};
  std::vector<trial::Trial> trials;
  for (std::int64_t number = 0; number < count; ++number) {
    trial::Trial trial = random_trial(random, number, knob_count);
    trial.measurement.metrics.clear();
    random.shuffle(std::span(metrics));
    for (trial::Metric metric : metrics) {
      metric.value = random.normal();
      if (random.chance(0.6)) trial.measurement.metrics.push_back(metric);
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

/** Orders the metrics of each trial as the session has them. */
std::vector<trial::Trial> in_order_of(const std::vector<trial::MetricName>& names,
                                      std::vector<trial::Trial> trials) {
  const auto place = [&](const trial::Metric& metric) {
    return std::ranges::find(names, metric.name, &trial::MetricName::name) - names.begin();
  };
  for (trial::Trial& trial : trials) std::ranges::sort(trial.measurement.metrics, {}, place);
  return trials;
}

double value_of(const trial::Measurement& measurement, const std::string& name) {
  const auto found = std::ranges::find(measurement.metrics, name, &trial::Metric::name);
  return found == measurement.metrics.end() ? std::nan("") : found->value;
}

}  // namespace

/** Quantities of trials beside their times. */
class StoreMetricsTest : public QObject {
  Q_OBJECT

 private slots:
  void every_trial_keeps_its_metrics() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    std::vector<std::vector<trial::Trial>> all;
    for (int session = 0; session < 3; ++session) {
      const store::SessionId id =
          store->sessions().create(random_record(random), store::Owner::this_process()).value();
      all.push_back(trials_with_metrics(random, 60));
      for (std::size_t first = 0; first < all.back().size();) {
        const std::size_t count = std::min<std::size_t>(1 + random.below(20), all.back().size() - first);
        VERIFY_RESULT(store->trials().append(id, std::span(all.back()).subspan(first, count),
                                             counted(static_cast<std::int64_t>(first + count))));
        first += count;
      }
    }
    store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    for (store::SessionId id = 1; id <= std::ssize(all); ++id) {
      const std::vector<trial::Trial>& trials = all[static_cast<std::size_t>(id - 1)];
      const std::vector<trial::MetricName> names = store->trials().metrics(id).value();
      QCOMPARE(names.size(), std::size_t{3});
      QVERIFY(std::ranges::find(names, trial::MetricName{"energy", "J"}) != names.end());
      QVERIFY(store->trials().of(id).value() == in_order_of(names, trials));
      const std::vector<store::ArrivedRow> rows = store->trials().rows(id).value();
      QCOMPARE(rows.size(), trials.size());
      for (const store::ArrivedRow& row : rows) {
        const trial::Measurement& measurement = trials[static_cast<std::size_t>(row.number)].measurement;
        for (std::size_t metric = 0; metric < names.size(); ++metric) {
          const double expected = value_of(measurement, names[metric].name);
          const double value = metric < row.metrics.size() ? row.metrics[metric] : std::nan("");
          QVERIFY(value == expected || (std::isnan(value) && std::isnan(expected)));
        }
      }
    }
    VERIFY_RESULT(read_everything(*store));
  }

  void a_metric_has_one_unit() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    trial::Trial trial = random_trial(random, 0, knob_count);
    trial.measurement.metrics = {{"energy", "J", 0.5}};
    VERIFY_RESULT(store->trials().append(id, std::vector{trial}, counted(1)));
    trial = random_trial(random, 1, knob_count);
    trial.measurement.metrics = {{"energy", "mJ", 500}};
    const auto other = store->trials().append(id, std::vector{trial}, counted(2));
    QVERIFY(!other && is_error(other.error(), ErrorCode::InvalidArgument, "\"mJ\""));
    QCOMPARE(std::ssize(store->trials().of(id).value()), 1);
  }

  void a_session_without_metrics_has_none() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    trial::Trial trial = random_trial(random, 0, knob_count);
    trial.measurement.metrics.clear();
    VERIFY_RESULT(store->trials().append(id, std::vector{trial}, counted(1)));
    QVERIFY(store->trials().metrics(id)->empty());
    QVERIFY(store->trials().rows(id)->front().metrics.empty());
    QVERIFY(store->trials().of(id).value() == std::vector{trial});
  }

  void a_database_of_the_version_before_is_read_from_a_snapshot() {
    const Folder folder;
    std::ignore = make_database(folder.file());
    QVERIFY(!store::Store::open(folder.file(), store::OpenMode::ReadOnly).value().is_snapshot());
    QVERIFY(RawDatabase(folder.file())
                .run(without_metrics + "PRAGMA user_version = " + std::to_string(version_without_metrics)));
    QVERIFY(store::Store::open(folder.file(), store::OpenMode::ReadOnly).value().is_snapshot());
    QVERIFY(!store::Store::open(folder.file()).value().is_snapshot());
    QVERIFY(!store::Store::open(folder.file(), store::OpenMode::ReadOnly).value().is_snapshot());
    QVERIFY(store::Store::nothing_yet(folder.file()).value().is_snapshot());
  }

  void trials_of_the_version_before_stay_as_they_are() {
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    QVERIFY(RawDatabase(folder.file())
                .run(without_metrics + "PRAGMA user_version = " + std::to_string(version_without_metrics)));
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    QVERIFY(store->trials().of(1).value() == trials);
    QVERIFY(store->trials().metrics(1)->empty());
    base::Random random(7);
    trial::Trial trial = random_trial(random, std::ssize(trials), 5);
    trial.measurement.metrics = {{"energy", "J", 0.5}};
    VERIFY_RESULT(store->trials().append(1, std::vector{trial}, counted(std::ssize(trials) + 1)));
    QVERIFY(store->trials().get(1, trial.number).value() == trial);
    QVERIFY(store->trials().get(1, 0).value() == trials.front());
  }

  void damage_is_named_data() {
    QTest::addColumn<QString>("sql");
    QTest::addRow("another name") << "UPDATE session_metric SET name = 'power' WHERE place = 1";
    QTest::addRow("another unit") << "UPDATE session_metric SET unit = 'kJ' WHERE place = 1";
    QTest::addRow("another order") << "UPDATE session_metric SET place = place + 1 WHERE place = 2";
    QTest::addRow("no names") << "DELETE FROM session_metric";
    QTest::addRow("other values") << "UPDATE trial SET metrics = zeroblob(16)";
    QTest::addRow("no values") << "UPDATE trial SET metrics = NULL";
    QTest::addRow("an infinite value")
        << "UPDATE trial SET metrics = x'000000000000f07f', row_checksum = NULL";
    QTest::addRow("too many values") << "UPDATE trial SET metrics = zeroblob(16000), row_checksum = NULL";
  }
  void damage_is_named() {
    QFETCH(QString, sql);
    base::Random random = printed_random();
    const Folder folder;
    {
      auto store = store::Store::open(folder.file());
      const store::SessionId id =
          store->sessions().create(random_record(random), store::Owner::this_process()).value();
      trial::Trial trial = random_trial(random, 0, knob_count);
      trial.measurement.metrics = {{"energy", "J", 0.5}, {"code_size", "B", 1024}};
      VERIFY_RESULT(store->trials().append(id, std::vector{trial}, counted(1)));
    }
    QVERIFY(RawDatabase(folder.file()).run(sql.toStdString()));
    const auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    const auto trials = store->trials().of(1);
    QVERIFY(!trials && is_error(trials.error(), ErrorCode::Corrupt, folder.file()));
    const auto rows = store->trials().rows(1);
    QVERIFY(!rows && is_error(rows.error(), ErrorCode::Corrupt, folder.file()));
  }

  void metrics_leave_with_their_session() {
    const Folder folder;
    make_database(folder.file());
    {
      auto store = store::Store::open(folder.file());
      QVERIFY(!store->trials().metrics(3)->empty());
      VERIFY_RESULT(store->sessions().release(3, store::Owner::this_process()));
      VERIFY_RESULT(store->sessions().remove(3));
    }
    auto database = store::sqlite::Database::open(folder.file(), SQLITE_OPEN_READONLY, false,
                                                  std::chrono::milliseconds(1000));
    VERIFY_RESULT(database);
    QCOMPARE(database->integer("SELECT count(*) FROM session_metric").value(), 0);
  }
};

KERNELSCAPE_TEST(StoreMetricsTest, QCoreApplication)

}  // namespace kernelscape::store_metrics_test
#include "store_metrics_test.moc"
