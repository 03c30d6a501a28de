#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/exchange/join.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_join_test {
using namespace kernelscape::exchange_tests;

namespace {

/** A cache of Kernel Tuner with one measured configuration. */
std::string kernel_tuner_cache(const std::string& kernel, const std::string& device, int block) {
  return fmt::format(
      R"({{"device_name": "{1}", "kernel_name": "{0}", "problem_size": 1, "tune_params_keys": ["block"],
"tune_params": {{"block": [{2}]}}, "objective": "time", "cache": {{
"{2}": {{"block": {2}, "time": 2.5, "times": [2, 3]}}}}}})",
      kernel, device, block);
}

std::vector<std::int64_t> values_of_knob(const space::SearchSpace& space, const std::string& name) {
  const space::Knob& knob = space.knobs()[*space.find_knob(name)];
  std::vector<std::int64_t> values;
  for (std::uint32_t index = 0; index < knob.count(); ++index) values.push_back(knob.element(index, 0));
  return values;
}

std::string configuration_of(const trial::Recording& recording, std::uint32_t row) {
  return recording.whole_space().configuration_to_json(recording.configuration(row));
}

}  // namespace

/** Several imports of one kernel that become one space. */
class ExchangeJoinTest : public QObject {
  Q_OBJECT

 private:
  StoredSessions sessions_;

  exchange::ImportSource file(const std::string& name, const std::string& text) {
    std::ofstream(sessions_.path(name)) << text;
    return {.path = sessions_.path(name)};
  }
  exchange::JoinSource source(const std::string& name, const std::string& text) {
    return must(exchange::join_source_of_file(file(name, text)));
  }
  static std::string refusal(const std::vector<exchange::JoinSource>& sources) {
    return error_of(exchange::join_recordings(sources, {.name = "all"}));
  }

 private slots:
  void values_are_united_and_configurations_stay() {
    const std::vector<exchange::JoinSource> sources{
        source("first.csv", "block,warps,time_ms,energy\n32,2,4,1\n16,1,5,1\n128,2,oom,1\n"),
        source("second.csv", "block,warps,time_ms\n64,2,3\n32,2,6\n128,2,7\n")};
    const exchange::JoinedSpace joined = must(exchange::join_recordings(sources, {.name = "both"}));
    const trial::Recording& recording = *joined.recording;
    QCOMPARE(values_of_knob(recording.whole_space(), "block"), (std::vector<std::int64_t>{16, 32, 64, 128}));
    QCOMPARE(values_of_knob(recording.whole_space(), "warps"), (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(recording.size(), std::uint32_t{4});
    QVERIFY(!recording.complete());
    const auto row_of = [&](std::uint32_t block, std::uint32_t warps) {
      return recording.find({{block, warps}}).value();
    };
    // Conflicting repeats are samples of one configuration.
    QCOMPARE(recording.measurement(row_of(1, 1)).samples_seconds, (std::vector<double>{4e-3, 6e-3}));
    QCOMPARE(recording.measurement(row_of(2, 1)).samples_seconds, std::vector<double>{3e-3});
    QCOMPARE(recording.seconds(row_of(3, 1)), 7e-3);
    QVERIFY(!recording.find({{2, 0}}));
    QCOMPARE(recording.columns().at(0).name, std::string("energy"));
    QVERIFY(std::isnan(recording.columns()[0].values[row_of(2, 1)]));
    QCOMPARE(recording.columns()[0].values[row_of(1, 1)], 1.0);
    QCOMPARE(recording.header().name, std::string("both"));
    QVERIFY(recording.header().origin.contains("first.csv") &&
            recording.header().origin.contains("second.csv"));
    QVERIFY(has_notice(joined.notices, "repeat a configuration of another list: 2"));
    QVERIFY(has_notice(joined.notices, "1 of the configurations failed in one list"));
    QVERIFY(has_notice(joined.notices, "do not name their kernel"));
  }

  void the_parts_of_a_table_give_the_whole() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 30; ++round) {
      const std::string head = "a,b,mode,time_us,power_w\n";
      std::vector<std::string> parts(2 + random.below(3), head);
      std::string whole = head;
      for (std::string& part : parts) {
        for (std::size_t row = 1 + random.below(40); row > 0; --row) {
          const std::string time =
              random.below(5) == 0 ? std::string("wrong") : fmt::format("{}", 1 + random.uniform());
          const std::string line = fmt::format("{},{},{},{},{}\n", random.below(6), random.below(4),
                                               random.below(2) == 0 ? "x" : "y", time, 1 + random.uniform());
          part += line;
          whole += line;
        }
        const std::string valid = "9,9,x,1.5,1\n";
        part += valid;
        whole += valid;
      }
      exchange::TableOptions options{.parameters = {"a", "b", "mode"}, .objective = "time_us"};
      std::vector<exchange::JoinSource> sources;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        exchange::ImportSource part = file(fmt::format("part{}.csv", i), parts[i]);
        part.table = options;
        sources.push_back(must(exchange::join_source_of_file(part)));
      }
      exchange::ImportSource all = file("whole.csv", whole);
      all.table = options;
      const auto expected = must(exchange::join_source_of_file(all)).recording;
      const auto joined = must(exchange::join_recordings(sources, {.name = "joined"})).recording;
      QCOMPARE(joined->size(), expected->size());
      for (std::uint32_t row = 0; row < joined->size(); ++row) {
        QCOMPARE(configuration_of(*joined, row), configuration_of(*expected, row));
        const trial::Measurement measured = joined->measurement(row);
        QVERIFY(measured.valid() == expected->measurement(row).valid());
        QCOMPARE(measured.samples_seconds, expected->measurement(row).samples_seconds);
        QCOMPARE(joined->columns().at(0).values[row], expected->columns().at(0).values[row]);
      }
    }
  }

  void what_differs_is_named() {
    const exchange::JoinSource base = source("a.json", kernel_tuner_cache("gemm", "A GPU", 32));
    QVERIFY(exchange::join_recordings(
        std::vector{base, source("b.json", kernel_tuner_cache("gemm", "A GPU", 64))}, {.name = "both"}));
    const std::string kernel =
        refusal({base, source("b.json", kernel_tuner_cache("convolution", "A GPU", 64))});
    QVERIFY2(kernel.contains("gemm") && kernel.contains("convolution") && kernel.contains("b.json"),
             kernel.c_str());
    const std::string device = refusal({base, source("b.json", kernel_tuner_cache("gemm", "B GPU", 64))});
    QVERIFY2(device.contains("A GPU") && device.contains("B GPU"), device.c_str());
    const exchange::JoinSource table = source("a.csv", "block,time_ms\n1,2\n2,3\n");
    const std::string unit = refusal({table, source("b.csv", "block,GFLOPS\n1,2\n2,3\n")});
    QVERIFY2(unit.contains("time_ms in ms") && unit.contains("GFLOPS in GFLOPS"), unit.c_str());
    const std::string one = refusal({table});
    QVERIFY2(one.contains("at least two"), one.c_str());
  }

  void a_missing_parameter_has_one_stated_value() {
    const std::vector<exchange::JoinSource> sources{
        source("old.csv", "block,time_ms\n16,5\n32,4\n"),
        source("new.csv", "block,stages,time_ms\n32,2,4\n32,3,2\n")};
    QCOMPARE(exchange::missing_parameters(sources), std::vector<std::string>{"stages"});
    const std::string error = refusal(sources);
    QVERIFY2(
        error.contains("new.csv has the parameter \"stages\"") && error.contains("--missing stages=VALUE"),
        error.c_str());
    const exchange::JoinedSpace joined =
        must(exchange::join_recordings(sources, {.name = "all", .missing = {{"stages", "2"}}}));
    QCOMPARE(joined.recording->size(), std::uint32_t{3});
    const exchange::JoinedSpace beside =
        must(exchange::join_recordings(sources, {.name = "all", .missing = {{"stages", "1"}}}));
    QCOMPARE(values_of_knob(beside.recording->whole_space(), "stages"), (std::vector<std::int64_t>{1, 2, 3}));
    QCOMPARE(beside.recording->size(), std::uint32_t{4});
    for (const auto& [name, words] :
         {std::pair{"block", "all joined spaces have"}, {"warps", "no joined space"}}) {
      const std::string wrong = error_of(
          exchange::join_recordings(sources, {.name = "all", .missing = {{"stages", "1"}, {name, "1"}}}));
      QVERIFY2(wrong.contains(words), wrong.c_str());
    }
  }

  void values_of_several_kinds_find_a_common_one_data() {
    QTest::addColumn<QByteArray>("second");
    QTest::addColumn<QByteArray>("values");
    QTest::addRow("reals") << QByteArray("0.5") << QByteArray("0.5 1 2");
    QTest::addRow("texts") << QByteArray("auto") << QByteArray("1 2 auto");
  }
  void values_of_several_kinds_find_a_common_one() {
    QFETCH(QByteArray, second);
    QFETCH(QByteArray, values);
    const std::vector<exchange::JoinSource> sources{
        source("whole.csv", "x,time_ms\n1,5\n2,4\n"),
        source("other.csv", "x,time_ms\n1,3\n" + second.toStdString() + ",2\n")};
    const auto recording = must(exchange::join_recordings(sources, {.name = "all"})).recording;
    QCOMPARE(recording->size(), std::uint32_t{3});
    const space::Knob& knob = recording->whole_space().knobs().front();
    std::vector<std::string> texts;
    for (std::uint32_t index = 0; index < knob.count(); ++index) texts.push_back(knob.describe(index));
    QCOMPARE(fmt::format("{}", fmt::join(texts, " ")), values.toStdString());
  }

  void sessions_of_the_database_are_joined_with_files() {
    store::Store& store = sessions_.store();
    const std::string first = file("stored.csv", "block,time_ms\n16,5\n32,4\n").path.string();
    const store::SessionId id = must(exchange::import_file(store, first)).sessions.front().session;
    const std::vector<exchange::JoinSource> sources{must(exchange::join_source_of_session(store, id)),
                                                    source("more.csv", "block,time_ms\n64,5\n128,4\n")};
    const exchange::ImportOutcome outcome =
        must(exchange::import_joined(store, sources, {.name = "all lists"}));
    const exchange::ImportedSession& session = outcome.sessions.at(0);
    QVERIFY(!session.existed && session.kind == store::SessionKind::Recorded);
    QCOMPARE(session.trials, std::int64_t{4});
    QCOMPARE(must(store.session(session.session)).record.name, std::string("all lists"));
    QVERIFY(must(exchange::import_joined(store, sources, {.name = "all lists"})).sessions.at(0).existed);
    // The sessions stay as they are.
    QCOMPARE(must(store.session(id)).status.trial_count, std::int64_t{2});
    const auto nowhere = exchange::join_source_of_session(store, 999);
    QVERIFY(!nowhere);
  }

  void a_file_of_several_tasks_is_refused() {
    const exchange::ImportSource several =
        file("bench.json",
             R"({"context": {"library_build_type": "release"}, "benchmarks": [
{"name": "A/block:1", "run_name": "A/block:1", "run_type": "iteration", "iterations": 1, "real_time": 1, "cpu_time": 1, "time_unit": "ns"},
{"name": "B/block:1", "run_name": "B/block:1", "run_type": "iteration", "iterations": 1, "real_time": 1, "cpu_time": 1, "time_unit": "ns"}]})");
    const std::string error = error_of(exchange::join_source_of_file(several));
    QVERIFY2(error.contains("results of 2 tasks"), error.c_str());
  }
};

KERNELSCAPE_TEST(ExchangeJoinTest, QCoreApplication)

}  // namespace kernelscape::exchange_join_test
#include "exchange_join_test.moc"
