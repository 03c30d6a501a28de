#include <fmt/format.h>

#include <QTest>
#include <map>
#include <nlohmann/json.hpp>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_t4_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

const std::string good =
    R"({"timestamp": "2023-12-22 09:53:48.5+00:00", "configuration": {"y": 2, "b": "text"}, )"
    R"("times": {"compilation": 100, "benchmark": 20, "framework": 4, "search_algorithm": 9, "validation": 1, )"
    R"("runtimes": [2, 3]}, "invalidity": "correct", "correctness": 1, "measurements": )"
    R"([{"name": "time", "value": 2.5, "unit": ""}, {"name": "power", "value": 300, "unit": "W"}], )"
    R"("objectives": ["time"]})";
const std::string failed =
    R"({"configuration": {"y": 1, "b": "text"}, "times": {"compilation_time": 50}, "invalidity": "runtime", )"
    R"("correctness": 0, "measurements": [{"name": "time", "value": "RuntimeFailedConfig", "unit": ""}], )"
    R"("objectives": ["time"]})";

std::string text_of(const std::string& unit, const std::string& first, const std::string& second) {
  return fmt::format(
      R"({{"metadata": {{"timeunit": "{}"}}, "results": [{}, {}], "schema_version": "1.0.0"}})", unit, first,
      second);
}

Result<exchange::ImportedFile> read(const std::string& text) {
  exchange::ImportText file("results.t4.json", text);
  return read_as("t4", file);
}
exchange::ImportedTrials part_of(const std::string& text) { return must(read(text)).parts.at(0); }

}  // namespace

class ExchangeImportT4Test : public QObject {
  Q_OBJECT

 private slots:
  void results() {
    const exchange::ImportedTrials part = part_of(text_of("miliseconds", good, failed));
    QCOMPARE(part.trials.size(), std::size_t{2});
    QCOMPARE(part.space.knobs().at(0).name(), std::string("y"));
    QVERIFY(values_of(part, 0) == (json{{"y", 2}, {"b", "text"}}));
    const trial::Measurement& first = part.trials[0].measurement;
    QCOMPARE(first.recorded_seconds, 2.5 / 1e3);
    QVERIFY((first.samples_seconds == std::vector<double>{2 / 1e3, 3 / 1e3}));
    QCOMPARE(first.build_seconds, 0.1);
    QCOMPARE(first.run_seconds, 25 / 1e3);
    const trial::Measurement& second = part.trials[1].measurement;
    QVERIFY(second.category == trial::ErrorCategory::RuntimeDevice);
    QCOMPARE(second.message, std::string("RuntimeFailedConfig"));
    QCOMPARE(second.build_seconds, 0.05);
    QCOMPARE(part.columns.at(0).name, std::string("power"));
    QCOMPARE(part.columns.at(0).values.at(0), 300.0);
    QVERIFY(must(exchange::recording_of(part))->size() == 2);
  }

  void units() {
    for (const auto& [unit, per_second] : std::map<std::string, double>{{"miliseconds", 1e3},
                                                                        {"milliseconds", 1e3},
                                                                        {"seconds", 1},
                                                                        {"microseconds", 1e6},
                                                                        {"nanoseconds", 1e9}}) {
      const exchange::ImportedTrials part = part_of(text_of(unit, good, failed));
      QCOMPARE(part.trials[0].measurement.recorded_seconds, 2.5 / per_second);
      QCOMPARE(part.trials[0].measurement.samples_seconds[0], 2 / per_second);
    }
    const std::string own_unit =
        replaced_once(good, R"("value": 2.5, "unit": "")", R"("value": 2500, "unit": "us")");
    QCOMPARE(part_of(text_of("ms", own_unit, failed)).trials[0].measurement.recorded_seconds, 2500 / 1e6);
    // The unit may follow the results.
    const std::string after =
        fmt::format(R"({{"results": [{}], "metadata": {{"timeunit": "seconds"}}}})", good);
    QCOMPARE(part_of(after).trials[0].measurement.recorded_seconds, 2.5);
  }

  void invalidities() {
    for (const auto& [name, category] : std::map<std::string, trial::ErrorCategory>{
             {"timeout", trial::ErrorCategory::RunTimeout},
             {"compile", trial::ErrorCategory::CompileDevice},
             {"runtime", trial::ErrorCategory::RuntimeDevice},
             {"correctness", trial::ErrorCategory::WrongAnswer},
             {"constraints", trial::ErrorCategory::InstantiationError}}) {
      const std::string one = replaced_once(failed, "\"runtime\"", fmt::format("\"{}\"", name));
      QVERIFY(part_of(text_of("seconds", good, one)).trials[1].measurement.category == category);
    }
  }

  void missing_parts_of_results() {
    const std::string no_runtimes = replaced_once(good, R"(, "runtimes": [2, 3])", "");
    QVERIFY(part_of(text_of("seconds", no_runtimes, failed)).trials[0].measurement.samples_seconds ==
            std::vector<double>{2.5});
    const std::string no_time = replaced_once(good, R"({"name": "time", "value": 2.5, "unit": ""}, )", "");
    const exchange::ImportedTrials part = part_of(text_of("seconds", no_time, failed));
    QCOMPARE(part.trials[0].measurement.ranking_seconds(), 2.5);
  }

  void refused_files_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* name, const char* from, const char* to, const char* words) {
      QTest::newRow(name) << from << to << words;
    };
    add("unit", "\"seconds\"", "\"hours\"", "hours");
    add("unit of a wrong type", "\"seconds\"", "5", "5");
    add("overflow", "100", "1e999", "line 1");
    add("results of a wrong type", "\"results\": [", "\"results\": 3, \"other\": [", "no results");
  }

  void refused_files() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, words);
    const auto result =
        read(replaced_once(text_of("seconds", good, failed), from.toStdString(), to.toStdString()));
    QVERIFY(!result);
    const std::string error = error_of(result);
    QVERIFY2(error.contains(words.toStdString()) && error.starts_with("results.t4.json: "), error.c_str());
  }

  void wrong_results_are_skipped_and_named_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* name, const char* from, const char* to, const char* words) {
      QTest::newRow(name) << from << to << words;
    };
    add("no invalidity", "\"invalidity\"", "\"validity\"", "invalidity");
    add("no configuration", "\"configuration\"", "\"config\"", "results[0]");
    add("other parameters", "{\"y\": 2, \"b\"", "{\"z\": 2, \"b\"", "results[0]: skipped, it has other");
    add("fewer parameters", "{\"y\": 2, \"b\"", "{\"b\"", "results[0]: skipped, it has other parameters");
    add("value of a wrong type", "{\"y\": 2", "{\"y\": null", "y is null");
    add("no times", "\"times\"", "\"time\"", "no times");
    add("runtimes of a wrong type", "[2, 3]", "[2, true]", "true");
    add("negative runtime", "[2, 3]", "[2, -3]", "-3");
    add("runtimes of NaN", "[2, 3]", "[2, NaN]", "NaN");
    add("runtimes of another unit", "[2, 3]", "[2000, 3000]", "factor of 10^-3");
    add("time of a wrong type", "\"value\": 2.5", "\"value\": [2.5]", "its time is [2.5]");
    add("time of nothing", "\"value\": 2.5", "\"value\": 0", "its time is 0");
    add("unknown unit", "\"value\": 2.5, \"unit\": \"\"", "\"value\": 2.5, \"unit\": \"ticks\"", "ticks");
    add("compilation", "\"compilation\": 100", "\"compilation\": \"a\"", "compilation");
    add("NaN", "100", "NaN", "NaN");
    add("twice", "\"correctness\": 1", "\"invalidity\": \"correct\"", "twice");
  }

  void wrong_results_are_skipped_and_named() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, words);
    const std::string bad = replaced_once(good, from.toStdString(), to.toStdString());
    const exchange::ImportedFile file = must(read(text_of("seconds", bad, failed + ", " + good)));
    QCOMPARE(file.parts.at(0).trials.size(), std::size_t{2});
    QCOMPARE(file.parts[0].space.knobs().size(), std::size_t{2});
    QCOMPARE(file.parts[0].trials[1].measurement.recorded_seconds, 2.5);
    QVERIFY2(has_notice(file.notices, words.toStdString()), file.notices.front().c_str());
  }

  void unknown_invalidities_are_failures() {
    const std::string one = replaced_once(good, "\"correct\"", "\"memory\"");
    const trial::Measurement measurement = part_of(text_of("seconds", one, failed)).trials[0].measurement;
    QVERIFY(measurement.category == trial::ErrorCategory::UnknownError);
    QCOMPARE(measurement.message, std::string("memory"));
    QVERIFY(measurement.samples_seconds.empty());
  }

  /** The format has no metadata: they are Kernel Tuner's. */
  void files_without_a_unit() {
    for (const char* head : {R"({"results": [)", R"({"metadata": {}, "results": [)",
                             R"({"metadata": {"timeunit": null}, "results": [)"}) {
      const exchange::ImportedFile file = must(read(head + good + "]}"));
      QCOMPARE(file.parts.at(0).trials.at(0).measurement.recorded_seconds, 2.5 / 1e3);
      QVERIFY(has_notice(file.notices, "milliseconds"));
      const std::string own_unit =
          replaced_once(good, R"("value": 2.5, "unit": "")", R"("value": 2.5, "unit": "sec")");
      const trial::Measurement measurement = part_of(head + own_unit + "]}").trials.at(0).measurement;
      QCOMPARE(measurement.recorded_seconds, 2.5);
      QCOMPARE(measurement.samples_seconds.at(0), 2.0);
    }
  }

  void cut_files_are_refused() {
    const std::string text = text_of("seconds", good, failed);
    for (std::size_t length = 0; length < text.size(); ++length) QVERIFY(!read(text.substr(0, length)));
  }

  void any_change_of_a_byte_is_read_or_refused() {
    base::Random random(testing::random_seed());
    const std::string text = text_of("seconds", good, failed);
    for (int round = 0; round < 3000; ++round) {
      std::string changed = text;
      for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes)
        changed[random.below(changed.size())] = static_cast<char>(32 + random.below(95));
      const auto result = read(changed);
      if (!result) QVERIFY(result.error().message.starts_with("results.t4.json: "));
      if (result) QVERIFY(must(exchange::recording_of(result->parts.at(0)))->size() > 0);
    }
  }

  void twin_of_a_cache() {
    if (!std::filesystem::exists(recorded_file("convolution-a100.t4.json.gz")))
      QSKIP("the recorded files are not beside the source");
    const exchange::ImportedFile cache_file =
        must(exchange::read_import(recorded_file("convolution-a100.json.gz")));
    const exchange::ImportedFile twin_file =
        must(exchange::read_import(recorded_file("convolution-a100.t4.json.gz")));
    QCOMPARE(twin_file.format, std::string("t4"));
    const exchange::ImportedTrials& cache = cache_file.parts.at(0);
    const exchange::ImportedTrials& twin = twin_file.parts.at(0);
    QCOMPARE(twin.trials.size(), cache.trials.size());
    std::map<json, std::size_t> positions;
    for (std::size_t i = 0; i < cache.trials.size(); ++i) positions[values_of(cache, i)] = i;
    QCOMPARE(positions.size(), cache.trials.size());
    for (std::size_t i = 0; i < twin.trials.size(); ++i) {
      const trial::Measurement& there = cache.trials[positions.at(values_of(twin, i))].measurement;
      const trial::Measurement& here = twin.trials[i].measurement;
      QVERIFY(here.category == there.category);
      QVERIFY(here.message == there.message);
      QVERIFY(here.recorded_seconds == there.recorded_seconds);
      QVERIFY(here.samples_seconds == there.samples_seconds);
      QVERIFY(here.build_seconds == there.build_seconds);
    }
  }
};

KERNELSCAPE_TEST(ExchangeImportT4Test, QCoreApplication)

}  // namespace kernelscape::exchange_import_t4_test
#include "exchange_import_t4_test.moc"
