#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/exchange/importer.h"
#include "tests/exchange/stored_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/trial/random_resources.h"

namespace kernelscape::exchange_metrics_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

space::SearchSpace small_space() {
  return *space::SearchSpace::make({*space::Knob::factorization("tile", 64, 3)});
}

store::SessionRecord cpu_record(const space::SearchSpace& space) {
  const task::Task task = task::parse_task("conv2d 1x64x56x56 64x64x3x3 pad=1 f32").value();
  return StoredSessions::record_of(task, schedule::TargetDescription{}, space);
}

/** Timed trials and a failure, each with some metrics; the first has all. */
std::vector<trial::Trial> trials_with_metrics(base::Random& random) {
  std::vector<trial::Trial> trials;
  for (std::uint32_t number = 0; number < 20; ++number) {
    trial::Trial trial{number, 0, static_cast<std::int32_t>(number), {{number}}, {}, 1.0 * number};
    do add_random_metrics(random, trial.measurement);
    while (number == 0 && trial.measurement.metrics.size() < 3);
    if (number == 5) {
      trial.measurement.category = trial::ErrorCategory::WrongAnswer;
      trial.measurement.message = "wrong";
    } else {
      trial.measurement.samples_seconds = {0.001 * (number + 1)};
    }
    trials.push_back(std::move(trial));
  }
  trials.front().measurement.metrics.front().value = 1;
  return trials;
}

}  // namespace

/** Quantities beside the time in all files. */
class ExchangeMetricsTest : public QObject {
  Q_OBJECT

 private:
  static exchange::ImportOutcome import_table(StoredSessions& sessions, const std::string& text,
                                              exchange::ImportAs as) {
    const std::string path = sessions.path("table.csv");
    std::ofstream(path) << text;
    return StoredSessions::checked(exchange::import_file(sessions.store(), path, as));
  }

 private slots:
  void files_hold_them_data() {
    QTest::addColumn<QString>("format");
    for (const char* format : {"json", "kernel-tuner", "t4"}) QTest::newRow(format) << format;
  }
  void files_hold_them() {
    QFETCH(QString, format);
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    const std::vector<trial::Trial> trials = trials_with_metrics(random);
    const store::SessionId id = sessions.add(cpu_record(small_space()), {}, trials);
    QVERIFY(!sessions.exported(id, format.toStdString()).empty());
    const auto imported =
        exchange::import_file(sessions.store(), sessions.path("exported"), exchange::ImportAs::Session);
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    const store::SessionId copy = imported->sessions.front().session;
    QVERIFY(sessions.store().trials().of(copy).value() == trials);
    QVERIFY(sessions.store().trials().metrics(copy).value() == sessions.store().trials().metrics(id).value());
    QVERIFY(sessions.store().series().of(copy)->empty());
  }

  void recordings_and_their_sessions_hold_them() {
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    const std::vector<trial::Trial> trials = trials_with_metrics(random);
    const store::SessionId id = sessions.add(cpu_record(small_space()), {}, trials);
    QVERIFY(!sessions.exported(id, "recorded").empty());
    const auto imported = exchange::import_file(sessions.store(), sessions.path("exported"));
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    const store::SessionId copy = imported->sessions.front().session;
    QVERIFY(sessions.store().trials().metrics(copy).value() == sessions.store().trials().metrics(id).value());
    const std::vector<trial::Trial> recorded = sessions.store().trials().of(copy).value();
    QCOMPARE(recorded.size(), trials.size());
    for (const trial::Trial& trial : recorded) {
      const auto original = std::ranges::find(trials, trial.configuration, &trial::Trial::configuration);
      QVERIFY(trial.measurement.metrics == original->measurement.metrics);
    }
    // A part of it, and the space in another format.
    QVERIFY(!sessions.exported(copy, "recorded", "energy > 0").empty());
    const auto part = trial::Recording::open(sessions.path("exported"));
    QVERIFY(part.has_value());
    QVERIFY((*part)->metric_names().front() == (trial::MetricName{"energy", "J"}));
    const json t4 = json::parse(sessions.exported(copy, "t4"));
    std::size_t energies = 0;
    for (const json& result : t4.at("results"))
      for (const json& number : result.at("measurements"))
        if (number.at("name") == "energy" && number.at("unit") == "J") ++energies;
    QCOMPARE(energies, static_cast<std::size_t>(std::ranges::count_if(trials, [](const trial::Trial& trial) {
               return !trial.measurement.metrics.empty();
             })));
  }

  void csv_has_a_column_for_each_and_filters_name_them() {
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    const std::vector<trial::Trial> trials = trials_with_metrics(random);
    const store::SessionId id = sessions.add(cpu_record(small_space()), {}, trials);
    const std::string header = sessions.exported(id, "csv").substr(0, 2000);
    QVERIFY2(header.contains(",energy,\"size \"\"of\"\" code\","), header.c_str());
    QVERIFY2(header.contains(",gbs,"), header.c_str());
    const auto expected = std::ranges::count_if(trials, [](const trial::Trial& trial) {
      return !trial.measurement.metrics.empty() && trial.measurement.metrics.front().value > 0.25;
    });
    const std::string filtered = sessions.exported(id, "csv", "energy > 250mJ");
    QCOMPARE(std::ranges::count(filtered, '\n'), expected + 1);
  }

  void numbers_of_tables_become_metrics() {
    StoredSessions sessions;
    const std::string text = "x,time_s,energy\n1,5,1.5\n2,3,\n3,4,2.5\n";
    const auto as_session = import_table(sessions, text, exchange::ImportAs::Session);
    const store::SessionId id = as_session.sessions.front().session;
    QVERIFY(sessions.store().trials().metrics(id).value() ==
            (std::vector<trial::MetricName>{{"energy", ""}}));
    const std::vector<trial::Trial> trials = sessions.store().trials().of(id).value();
    QVERIFY(trials[0].measurement.metrics == (std::vector<trial::Metric>{{"energy", "", 1.5}}));
    QVERIFY(trials[1].measurement.metrics.empty());
    QVERIFY(sessions.store().series().of(id)->empty());
    const auto as_space = import_table(sessions, text, exchange::ImportAs::Recorded);
    const store::SessionId space = as_space.sessions.front().session;
    QVERIFY(sessions.store().trials().metrics(space).value() ==
            sessions.store().trials().metrics(id).value());
    const std::vector<store::ArrivedRow> rows = sessions.store().trials().rows(space).value();
    QCOMPARE(rows.at(2).metrics.at(0), 2.5);
    QVERIFY(std::isnan(rows.at(1).metrics.at(0)));
  }

  void a_table_with_too_many_metrics_is_refused() {
    StoredSessions sessions;
    exchange::TableOptions options{.parameters = {"x"}, .objective = "time_s"};
    std::string head = "x,time_s";
    std::string row = "1,5";
    for (std::size_t metric = 0; metric <= trial::max_metrics; ++metric) {
      options.metrics.push_back("energy" + std::to_string(metric));
      head += "," + options.metrics.back();
      row += ",1.5";
    }
    const std::string path = sessions.path("wide.csv");
    std::ofstream(path) << head + "\n" + row + "\n";
    for (const exchange::ImportAs as : {exchange::ImportAs::Session, exchange::ImportAs::Recorded}) {
      exchange::ImportSource source{.path = path};
      source.table = options;
      const auto imported = exchange::import_file(sessions.store(), source, as);
      QVERIFY(!imported);
      QVERIFY2(imported.error().message.contains("more than 256 columns"),
               describe(imported.error()).c_str());
    }
    QVERIFY(sessions.store().sessions().all()->empty());
  }

  void impossible_metrics_in_a_session_are_refused_data() {
    QTest::addColumn<QString>("metrics");
    QTest::newRow("not a list") << "{}";
    QTest::newRow("no unit") << R"([{"name": "energy", "value": 1}])";
    QTest::newRow("infinite") << R"([{"name": "energy", "unit": "J", "value": "inf"}])";
    QTest::newRow("twice")
        << R"([{"name": "e", "unit": "", "value": 1}, {"name": "e", "unit": "", "value": 2}])";
    QTest::newRow("another unit") << R"([{"name": "energy", "unit": "mJ", "value": 1}])";
    QTest::newRow("a terminal's colour") << "[{\"name\": \"\\u001b[31m\", \"unit\": \"\", \"value\": 1}]";
  }
  void impossible_metrics_in_a_session_are_refused() {
    QFETCH(QString, metrics);
    base::Random random(testing::random_seed());
    StoredSessions sessions;
    const store::SessionId id = sessions.add(cpu_record(small_space()), {}, trials_with_metrics(random));
    json file = json::parse(sessions.exported(id, "json"));
    file["trials"][0]["metrics"] = json::parse(metrics.toStdString());
    std::ofstream(sessions.path("changed.json")) << file.dump();
    const auto imported = exchange::import_file(sessions.store(), sessions.path("changed.json"));
    QVERIFY(!imported && describe(imported.error()).contains("metrics"));
  }
};

KERNELSCAPE_TEST(ExchangeMetricsTest, QCoreApplication)

}  // namespace kernelscape::exchange_metrics_test
#include "exchange_metrics_test.moc"
