#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>

#include "core/exchange/join.h"
#include "core/kernel/family.h"
#include "core/trial/recording_builder.h"
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

void must_hold(const Status& status) {
  if (!status) throw std::runtime_error(describe(status.error()));
}

trial::Measurement took(double seconds, std::vector<trial::Metric> metrics = {}) {
  trial::Measurement measurement;
  measurement.samples_seconds = {seconds};
  measurement.metrics = std::move(metrics);
  return measurement;
}

/** A table as if a template whose values have this order had made its kernels. */
exchange::JoinSource of_template(const exchange::JoinSource& table, const std::vector<std::int64_t>& values) {
  trial::RecordingHeader header = table.recording->header();
  header.template_name = "made-up";
  header.template_version = 3;
  std::vector<space::KnobValue> listed(values.begin(), values.end());
  trial::RecordingBuilder builder(
      header, must(space::SearchSpace::make({must(space::Knob::categorical("x", std::move(listed)))})));
  for (std::uint32_t index = 0; index < values.size(); ++index)
    must_hold(builder.add({{index}}, took(static_cast<double>(values[index]))));
  return {table.shown, must(builder.build())};
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

  void the_file_that_names_the_device_is_named() {
    exchange::JoinSource unnamed = source("a.json", kernel_tuner_cache("gemm", "A GPU", 32));
    trial::RecordingHeader header = unnamed.recording->header();
    header.target_json = schedule::target_to_json({});
    trial::RecordingBuilder builder(header, unnamed.recording->whole_space());
    must_hold(builder.add(unnamed.recording->configuration(0), unnamed.recording->measurement(0)));
    unnamed.recording = must(builder.build());
    const std::string error = refusal({unnamed, source("b.json", kernel_tuner_cache("gemm", "B GPU", 64)),
                                       source("c.json", kernel_tuner_cache("gemm", "C GPU", 64))});
    QVERIFY2(error.contains("b.json was measured on B GPU"), error.c_str());
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
    QVERIFY2(unit.contains("time_ms in ms") && unit.contains("GFLOPS in gflops"), unit.c_str());
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

  void sessions_of_a_template_keep_their_kernels() {
    base::Random random(testing::random_seed());
    const task::Task task = must(task::parse_task("conv2d 1x32x14x14 64x32x3x3 pad=1 f32"));
    const schedule::TargetDescription target;
    const schedule::ScheduledKernel kernel = must(schedule::apply_template(task, target, "conv2d-nchwc"));
    const kernel::ScheduleFamily family(kernel);
    store::SessionRecord record = StoredSessions::record_of(task, target, kernel.space());
    record.template_name = kernel.template_name();
    record.template_version = kernel.template_version();
    std::map<double, std::string> sources;  // by the time of the trial
    std::vector<exchange::JoinSource> joined;
    for (int session = 0; session < 2; ++session) {
      std::vector<trial::Trial> trials;
      for (int attempt = 0; attempt < 10; ++attempt) {
        const auto number = static_cast<std::int32_t>(trials.size());
        const double seconds = 1e-3 * static_cast<double>(sources.size() + 1);
        trial::Trial trial{number, 0, number, testing::accepted_member(kernel, random), {}, 1.0 * number};
        trial.measurement.samples_seconds = {seconds};
        // A repeated configuration has the samples of several trials, and one time.
        const std::string source = must(family.source(trial.configuration)).text;
        if (std::ranges::any_of(sources, [&](const auto& known) { return known.second == source; })) continue;
        sources.emplace(seconds, source);
        trials.push_back(std::move(trial));
      }
      const store::SessionId id = sessions_.add(record, {}, trials);
      joined.push_back(must(exchange::join_source_of_session(sessions_.store(), id)));
    }
    const exchange::JoinedSpace both = must(exchange::join_recordings(joined, {.name = "both"}));
    const trial::Recording& recording = *both.recording;
    QCOMPARE(recording.header().template_name, record.template_name);
    QVERIFY(recording.whole_space().fingerprint() == kernel.space().fingerprint());
    QCOMPARE(std::size_t{recording.size()}, sources.size());
    for (std::uint32_t row = 0; row < recording.size(); ++row)
      QCOMPARE(must(family.source(recording.configuration(row))).text, sources.at(recording.seconds(row)));
  }

  void other_values_of_a_template_are_no_longer_of_it() {
    const exchange::JoinSource table = source("made.csv", "x,time_s\n1,1\n2,2\n");
    const exchange::JoinSource first = of_template(table, {3, 1, 2});
    const auto same = must(exchange::join_recordings(std::vector{first, first}, {.name = "same"}));
    QCOMPARE(same.recording->header().template_name, std::string("made-up"));
    QCOMPARE(values_of_knob(same.recording->whole_space(), "x"), (std::vector<std::int64_t>{3, 1, 2}));
    QVERIFY(same.recording->complete());
    const auto other =
        must(exchange::join_recordings(std::vector{first, of_template(table, {1, 4})}, {.name = "other"}));
    QCOMPARE(values_of_knob(other.recording->whole_space(), "x"), (std::vector<std::int64_t>{1, 2, 3, 4}));
    for (std::uint32_t row = 0; row < other.recording->size(); ++row)
      QCOMPARE(other.recording->seconds(row), row + 1.0);
    QVERIFY(other.recording->header().template_name.empty());
    QCOMPARE(other.recording->header().template_version, 0);
    QVERIFY(has_notice(other.notices, "different values of the parameters"));
  }

  void metrics_keep_their_units() {
    const auto measured = [&](const std::string& name, const std::string& unit, double energy) {
      const exchange::JoinSource table = source(name, "x,time_s\n1,1\n2,2\n");
      trial::RecordingBuilder builder(table.recording->header(), table.recording->whole_space());
      must_hold(builder.add({{0}}, took(1, {{"energy", unit, energy}})));
      return exchange::JoinSource{name, must(builder.build())};
    };
    const auto joined = must(exchange::join_recordings(
        std::vector{measured("a.csv", "J", 1), measured("b.csv", "J", 2)}, {.name = "both"}));
    QVERIFY(joined.recording->metric_names() == (std::vector<trial::MetricName>{{"energy", "J"}}));
    QCOMPARE(joined.recording->columns()[0].values[0], 2.0);
    const std::string error = refusal({measured("a.csv", "J", 1), measured("b.csv", "mJ", 2000)});
    QVERIFY2(error.contains("the unit of energy differs: J in a.csv, mJ in b.csv"), error.c_str());
  }

  void metrics_of_a_failed_repetition_do_not_count() {
    const std::string failed = "x,time_ms,energy\n1,failed,9\n2,5,1\n";
    const std::string valid = "x,time_ms,energy\n1,4,3\n2,5,2\n";
    for (const bool failed_first : {true, false}) {
      std::vector<exchange::JoinSource> sources{source("failed.csv", failed), source("valid.csv", valid)};
      if (!failed_first) std::ranges::reverse(sources);
      const auto recording = must(exchange::join_recordings(sources, {.name = "all"})).recording;
      QCOMPARE(recording->columns().at(0).values, (std::vector<double>{3, failed_first ? 2.0 : 1.0}));
    }
    for (const char* rows : {"1,failed,9\n1,4,3\n2,5,2\n", "1,4,3\n1,failed,9\n2,5,2\n"}) {
      const auto recording = source("repeated.csv", std::string("x,time_ms,energy\n") + rows).recording;
      QCOMPARE(recording->columns().at(0).values, (std::vector<double>{3, 2}));
    }
  }

  void a_joined_table_is_joined_with_a_further_one() {
    const std::vector<exchange::JoinSource> two{source("one.csv", "x,time_ms\n1,5\n2,4\n"),
                                                source("two.csv", "x,time_ms\n3,5\n4,4\n")};
    const auto joined = must(exchange::join_recordings(two, {.name = "both"})).recording;
    const std::vector<exchange::JoinSource> more{{"both", joined},
                                                 source("three.csv", "x,time_ms\n5,5\n6,4\n")};
    const auto all = must(exchange::join_recordings(more, {.name = "all"})).recording;
    QCOMPARE(all->size(), std::uint32_t{6});
    QVERIFY(all->header().origin.starts_with("joined from table"));
    for (const char* name : {"one.csv", "two.csv", "three.csv"}) QVERIFY(all->header().origin.contains(name));
  }

  void large_numbers_stay_different() {
    const std::vector<exchange::JoinSource> sources{
        source("whole.csv", "x,time_ms\n9007199254740992,5\n9007199254740993,4\n"),
        source("real.csv", "x,time_ms\n0.5,3\n1.5,2\n")};
    const auto recording = must(exchange::join_recordings(sources, {.name = "all"})).recording;
    QCOMPARE(recording->size(), std::uint32_t{4});
    const std::vector<exchange::JoinSource> lacking{source("old.csv", "x,time_ms\n1,5\n2,4\n"),
                                                    source("new.csv", "x,y,time_ms\n1,1,5\n2,3,4\n")};
    const auto huge =
        must(exchange::join_recordings(lacking, {.name = "all", .missing = {{"y", "1e300"}}})).recording;
    QCOMPARE(huge->whole_space().knobs()[1].describe(2), space::to_string(space::KnobValue(1e300)));
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
    QCOMPARE(must(store.sessions().get(session.session)).record.name, std::string("all lists"));
    QVERIFY(must(exchange::import_joined(store, sources, {.name = "all lists"})).sessions.at(0).existed);
    // The sessions stay as they are.
    QCOMPARE(must(store.sessions().get(id)).status.trial_count, std::int64_t{2});
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
