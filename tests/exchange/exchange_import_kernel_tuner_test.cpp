#include <fmt/format.h>

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/task/task.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::exchange_import_kernel_tuner_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

const std::string header =
    R"({"device_name": "NVIDIA A100", "kernel_name": "vector_add", "problem_size": [4096, 2], )"
    R"("tune_params_keys": ["x", "alpha", "use", "layout"], )"
    R"("tune_params": {"layout": ["NCHW", "a,b"], "x": [64, 16, 32], "alpha": [1, 0.5], "use": [true, false]}, )"
    R"("objective": "time", "cache": {)";

const std::string good = R"(
"64,0.5,True,a,b": {"x": 64, "alpha": 0.5, "use": true, "layout": "a,b", "time": 2.5, "times": [2.0, 3.0],
 "compile_time": 100.5, "verification_time": 1, "benchmark_time": 20, "framework_time": 4, "strategy_time": 7,
 "GFLOP/s": 12.5, "timestamp": "2023-12-22 09:54:05.500000+00:00"},)";

/** One more entry: x=16, alpha=1. */
std::string entry(const std::string& results) {
  return "\n\"16,1,False,NCHW\": {\"x\": 16, \"alpha\": 1, \"use\": false, \"layout\": \"NCHW\", " + results +
         "}";
}

Result<exchange::ImportedFile> read(const std::string& text) {
  exchange::ImportText file("cache.json", text);
  return read_as("kernel-tuner", file);
}
Result<exchange::ImportedFile> read_entry(const std::string& results) {
  return read(header + good + entry(results) + "\n}\n}");
}
exchange::ImportedTrials part_of(const std::string& text) { return must(read(text)).parts.at(0); }

}  // namespace

class ExchangeImportKernelTunerTest : public QObject {
  Q_OBJECT

 private slots:
  void whole_caches() {
    const exchange::ImportedFile file =
        must(read_entry(R"("time": 7.25, "timestamp": "2023-12-22T09:54:06+00:00")"));
    QCOMPARE(file.format, std::string("kernel-tuner"));
    QVERIFY(file.natural == exchange::ImportAs::Recorded);
    const exchange::ImportedTrials& part = file.parts.at(0);
    QVERIFY(part.closed);
    QCOMPARE(part.trials.size(), std::size_t{2});
    QCOMPARE(part.space.explicit_members()->size(), std::size_t{2});
    QVERIFY(values_of(part, 0) == (json{{"x", 64}, {"alpha", 0.5}, {"use", true}, {"layout", "a,b"}}));
    QVERIFY(values_of(part, 1) == (json{{"x", 16}, {"alpha", 1.0}, {"use", false}, {"layout", "NCHW"}}));
    const std::vector<space::Knob>& knobs = part.space.knobs();
    QCOMPARE(knobs.at(0).name(), std::string("x"));
    QVERIFY(knobs.at(0).kind() == space::KnobKind::Ordinal && knobs.at(0).count() == 3);
    QVERIFY(knobs.at(1).kind() == space::KnobKind::Ordinal);
    QVERIFY(knobs.at(2).kind() == space::KnobKind::Categorical &&
            knobs.at(3).kind() == space::KnobKind::Categorical);
    const trial::Measurement& first = part.trials[0].measurement;
    QCOMPARE(first.recorded_seconds, 2.5 / 1e3);
    QVERIFY((first.samples_seconds == std::vector<double>{2.0 / 1e3, 3.0 / 1e3}));
    QCOMPARE(first.build_seconds, 100.5 / 1e3);
    QCOMPARE(first.run_seconds, 25 / 1e3);
    QVERIFY(part.trials[1].measurement.samples_seconds == std::vector<double>{7.25 / 1e3});
    QCOMPARE(part.columns.size(), std::size_t{1});
    QCOMPARE(part.columns[0].name, std::string("GFLOP/s"));
    QCOMPARE(part.columns[0].values.at(0), 12.5);
    QVERIFY(std::isnan(part.columns[0].values.at(1)));
    QVERIFY(std::abs(part.trials[1].finished_seconds - (0.5 + 0.1255)) < 1e-6);
    QCOMPARE(part.header.created_utc, std::string("2023-12-22T09:54:05Z"));
    const task::Task task = must(task::task_from_json(part.header.task_json));
    QCOMPARE(task.name, std::string("vector_add 4096x2"));
    QVERIFY(part.header.target_json.contains("NVIDIA A100"));
    QVERIFY(must(exchange::recording_of(part))->size() == 2);
  }

  void failures() {
    const auto failure = [](const std::string& results) {
      return must(read_entry(results)).parts.at(0).trials.at(1).measurement;
    };
    for (const auto& [name, category] : std::initializer_list<std::pair<std::string, trial::ErrorCategory>>{
             {"InvalidConfig", trial::ErrorCategory::InstantiationError},
             {"CompilationFailedConfig", trial::ErrorCategory::CompileDevice},
             {"RuntimeFailedConfig", trial::ErrorCategory::RuntimeDevice}}) {
      for (const char* member : {"time", "__error__"}) {
        const trial::Measurement measurement =
            failure(fmt::format(R"("{}": "{}", "times": [1, 2])", member, name));
        QVERIFY(measurement.category == category);
        QCOMPARE(measurement.message, name);
        QVERIFY(measurement.samples_seconds.empty());
      }
    }
    QVERIFY(failure(R"("time": 1e20)").category == trial::ErrorCategory::UnknownError);
    QVERIFY(failure(R"("time": Infinity)").category == trial::ErrorCategory::UnknownError);
    // Every other name is that of a failure too: ErrorConfig is the base class of the others.
    for (const char* name : {"ErrorConfig", "Oops"}) {
      const trial::Measurement measurement = failure(fmt::format(R"("__error__": "{}")", name));
      QVERIFY(measurement.category == trial::ErrorCategory::UnknownError);
      QCOMPARE(measurement.message, std::string(name));
    }
    QVERIFY(failure(R"("time": 3, "__error__": None)").valid());
    std::string host = header + good + entry(R"("time": "CompilationFailedConfig")") + "}}";
    host.replace(host.find("NVIDIA A100"), 11, "Intel(R) Xeon(R)");
    QVERIFY(part_of(host).trials.at(1).measurement.category == trial::ErrorCategory::CompileHost);
  }

  void what_files_have_in_other_ways() {
    const auto samples = [](const std::string& results) {
      return must(read_entry(results)).parts.at(0).trials.at(1).measurement.samples_seconds;
    };
    QVERIFY((samples(R"("time": 2, "times": [[1.0, 2.0], [3.0]])") ==
             std::vector<double>{1 / 1e3, 2 / 1e3, 3 / 1e3}));
    const auto changed = [](const std::string& from, const std::string& to) {
      std::string text = header + good + entry(R"("time": 2)") + "}}";
      return replaced_once(text, from, to);
    };
    QCOMPARE(must(task::task_from_json(part_of(changed("[4096, 2]", "20000000")).header.task_json)).name,
             std::string("vector_add 20000000"));
    QCOMPARE(must(task::task_from_json(part_of(changed("[4096, 2]", "\"callable\"")).header.task_json)).name,
             std::string("vector_add callable"));
    QCOMPARE(part_of(changed(R"("objective": "time", )", "")).trials.size(), std::size_t{2});
    QCOMPARE(part_of(changed(R"("time", "cache")", R"(["time"], "cache")")).trials.size(), std::size_t{2});
    const exchange::ImportedFile other = must(read(changed(R"("time", "cache")", R"("GFLOP/s", "cache")")));
    QVERIFY(other.notices.at(0).contains("GFLOP/s"));
    // Keys in alphabetical order: the header comes after the results.
    const std::string sorted = json::parse(changed("[4096, 2]", "1")).dump(1);
    const exchange::ImportedTrials part = part_of(sorted);
    QCOMPARE(part.trials.size(), std::size_t{2});
    QCOMPARE(part.space.knobs().at(0).name(), std::string("x"));
  }

  void open_caches() {
    const std::string whole = header + good + entry(R"("time": 2)");
    for (const char* end : {"", ",", ",\n", "\n"}) {
      const exchange::ImportedFile file = must(read(whole + end));
      QVERIFY(file.natural == exchange::ImportAs::Session);
      QVERIFY(!file.parts.at(0).closed);
      QCOMPARE(file.parts.at(0).trials.size(), std::size_t{2});
      QVERIFY(file.notices.empty());
    }
    // Cut at any place of the second entry.
    for (std::size_t length = header.size() + good.size() + 2; length < whole.size(); ++length) {
      const exchange::ImportedFile file = must(read(whole.substr(0, length)));
      QCOMPARE(file.parts.at(0).trials.size(), std::size_t{1});
      QVERIFY(file.notices.at(0).contains("incomplete"));
    }
    for (std::size_t length = 0; length < header.size() + 20; ++length)
      QVERIFY(!read(whole.substr(0, length)));
  }

  void wrong_entries_are_skipped_and_named_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* name, const char* from, const char* to, const char* words) {
      QTest::newRow(name) << from << to << words;
    };
    add("key", "\"16,1,False,NCHW\"", "\"16,1,True,NCHW\"", "differs");
    add("short key", "\"16,1,False,NCHW\"", "\"16\"", "differs");
    add("unknown value", "\"x\": 16,", "\"x\": 17,", "no value 17 of x");
    add("missing value", "\"x\": 16,", "", "no value of x");
    add("value of a wrong type", "\"x\": 16,", "\"x\": [16],", "x is [16]");
    add("text for a number", "\"x\": 16,", "\"x\": \"16\",", "no value 16 of x");
    add("no result", "\"time\": 8", "\"other\": 2", "neither a time nor an error");
    add("negative time", "\"time\": 8", "\"time\": -2", "-2");
    add("no time", "\"time\": 8", "\"time\": 0", "is 0");
    add("error of a wrong type", "\"time\": 8", "\"__error__\": 2", "text");
    add("times of a wrong type", "\"time\": 8", "\"time\": 8, \"times\": 3", "list");
    add("a text in times", "\"time\": 8", "\"time\": 8, \"times\": [\"3\"]", "time");
    add("compile time", "\"time\": 8", "\"time\": 8, \"compile_time\": \"x\"", "compile_time");
    add("negative compile time", "\"time\": 8", "\"time\": 8, \"compile_time\": -1", "compile_time");
    add("NaN", "\"time\": 8", "\"time\": NaN", "NaN");
    add("infinity", "\"time\": 8", "\"time\": -Infinity", "-Infinity");
    add("times of another unit", "\"time\": 8", "\"time\": 8, \"times\": [8000, 8100]", "factor of 10^-3");
    add("impossible time", "\"time\": 8", "\"time\": 1e-12", "clock cycle");
    add("a member twice", "\"time\": 8", "\"time\": 8, \"time\": 3", "\"time\"");
    add("an entry twice", "\"16,1,False,NCHW\"", "\"64,0.5,True,a,b\"", "64,0.5,True,a,b");
    add("no object", "\"16,1,False,NCHW\": {", "\"a\": 3, \"b\": {", "not an object");
  }

  void wrong_entries_are_skipped_and_named() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, words);
    const std::string text = header + good + entry(R"("time": 8)") + "\n}\n}";
    QVERIFY(must(read(text)).notices.empty());
    const exchange::ImportedFile file = must(read(replaced_once(text, from.toStdString(), to.toStdString())));
    QCOMPARE(file.parts.at(0).trials.size(), std::size_t{1});
    QCOMPARE(file.parts[0].trials[0].measurement.recorded_seconds, 2.5 / 1e3);
    QVERIFY(has_notice(file.notices, "skipped") && has_notice(file.notices, words.toStdString()));
    // Without the good entry nothing is left.
    const auto alone =
        read(replaced_once(header + entry(R"("time": 8)") + "\n}\n}", from.toStdString(), to.toStdString()));
    QVERIFY(!alone);
    const std::string error = error_of(alone);
    QVERIFY2(error.contains(words.toStdString()) && error.starts_with("cache.json: "), error.c_str());
  }

  void contradictory_headers_are_refused_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* name, const char* from, const char* to, const char* words) {
      QTest::newRow(name) << from << to << words;
    };
    add("overflow", "\"time\": 8", "\"time\": 1e999", "line");
    add("no parameters", "\"tune_params_keys\"", "\"other\"", "tune_params_keys");
    add("a parameter twice", "[\"x\", \"alpha\"", "[\"x\", \"x\"", "x");
    add("another parameter", "[\"x\", \"alpha\"", "[\"x\", \"beta\"", "beta");
    add("too few parameters", "[\"x\", \"alpha\", ", "[\"x\", ", "3 parameters");
    add("no values", "\"x\": [64, 16, 32]", "\"x\": []", "values of x");
    add("huge value", "\"x\": [64, 16, 32]", "\"x\": [99999999999999999999, 64, 16]", "no value");
  }

  void contradictory_headers_are_refused() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, words);
    const std::string text = header + good + entry(R"("time": 8)") + "\n}\n}";
    QVERIFY(read(text).has_value());
    const auto result = read(replaced_once(text, from.toStdString(), to.toStdString()));
    if (QTest::currentDataTag() == std::string("huge value")) {
      // It is a real number then; the others are the same numbers.
      QVERIFY(result.has_value());
      return;
    }
    QVERIFY(!result);
    const std::string error = error_of(result);
    QVERIFY2(error.contains(words.toStdString()), error.c_str());
    QVERIFY2(error.starts_with("cache.json: "), error.c_str());
  }

  void any_change_of_a_byte_is_read_or_refused() {
    base::Random random(testing::random_seed());
    const std::string text = header + good + entry(R"("time": 2)") + "\n}\n}";
    for (int round = 0; round < 3000; ++round) {
      std::string changed = text;
      for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes)
        changed[random.below(changed.size())] = static_cast<char>(32 + random.below(95));
      const auto result = read(changed);
      if (!result) QVERIFY(result.error().message.starts_with("cache.json: "));
      if (result) QVERIFY(must(exchange::recording_of(result->parts.at(0)))->size() > 0);
    }
  }

  void real_caches() {
    if (!std::filesystem::exists(recorded_file("gemm-rtx3090.json.gz")))
      QSKIP("the recorded files are not beside the source");
    for (const auto& [name, configurations, failures] :
         std::initializer_list<std::tuple<std::string, std::size_t, std::size_t>>{
             {"convolution-a100.json.gz", 4362, 161},
             {"gemm-rtx3090.json.gz", 17956, 0},
             {"pnpoly-rtx3090.json.gz", 4092, 330}}) {
      const std::string text = must(whole_text(*must(exchange::ImportText::open(recorded_file(name)))));
      const exchange::ImportedFile file = must(exchange::read_import(recorded_file(name)));
      QCOMPARE(file.format, std::string("kernel-tuner"));
      const exchange::ImportedTrials& part = file.parts.at(0);
      QCOMPARE(part.trials.size(), configurations);
      QCOMPARE(
          static_cast<std::size_t>(std::ranges::count_if(
              part.trials, [](const exchange::ImportedTrial& trial) { return !trial.measurement.valid(); })),
          failures);
      // An independent reading of the same text.
      const auto reference = nlohmann::ordered_json::parse(text);
      std::size_t trial = 0;
      for (const auto& [key, entry] : reference["cache"].items()) {
        const trial::Measurement& measurement = part.trials[trial].measurement;
        if (entry["time"].is_number()) {
          QVERIFY(measurement.recorded_seconds == entry["time"].get<double>() / 1e3);
          QCOMPARE(measurement.samples_seconds.size(), entry["times"].size());
        }
        const json values = values_of(part, trial++);
        for (const auto& parameter : reference["tune_params_keys"])
          QVERIFY(values[parameter.get<std::string>()] == json(entry[parameter.get<std::string>()]));
      }
      QVERIFY(std::ranges::is_sorted(part.trials, {}, &exchange::ImportedTrial::finished_seconds));
    }
  }

  void exported_sessions_come_back_exactly() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 25; ++round) {
      StoredSessions sessions;
      const task::Task task = must(task::make_generic_task({"a problem", "time", "s"}, "a task"));
      schedule::TargetDescription target = schedule::default_cuda_target();
      target.device = "NVIDIA \"H200\"";
      const auto shape = static_cast<recording_test::SpaceShape>(random.below(4));
      const space::SearchSpace space = recording_test::random_space(random, shape);
      std::vector<trial::Trial> trials(1 + random.below(30));
      std::int64_t number = 0;
      for (trial::Trial& trial : trials) {
        trial.number = number;
        trial.batch = static_cast<std::int32_t>(number / 4);
        trial.position = static_cast<std::int32_t>(number++ % 4);
        trial.configuration = space.random_member(random).value();
        trial.measurement = recording_test::random_measurement(random);
        recording_test::make_possible(random, trial.measurement);
        recording_test::give_time(trial.measurement);
        trial.finished_seconds = random.uniform() * 1e4;
      }
      const store::SessionId id = sessions.add(StoredSessions::record_of(task, target, space), {}, trials);
      for (const std::string format : {"kernel-tuner", "t4"}) {
        const std::string text = sessions.exported(id, format);
        const json parsed = json::parse(text);
        QVERIFY(parsed.contains("kernelscape"));
        if (format == "kernel-tuner") QVERIFY(text.ends_with("}\n}"));
        const exchange::ImportOutcome outcome =
            must(exchange::import_file(sessions.store(), sessions.path("exported")));
        QCOMPARE(outcome.format, format);
        QCOMPARE(outcome.sessions.size(), std::size_t{1});
        const store::SessionId back = outcome.sessions[0].session;
        QVERIFY(must(sessions.store().trials().of(back)) == must(sessions.store().trials().of(id)));
        const store::SessionRecord record = must(sessions.store().sessions().get(back)).record;
        QCOMPARE(record.space_fingerprint, space.fingerprint());
        QCOMPARE(record.tuner, std::string("random"));
      }
    }
  }

  /** A short text may name them: no file of others has them all. */
  void millions_of_orders_are_not_listed() {
    StoredSessions sessions;
    const task::Task task = must(task::make_generic_task({"a problem", "time", "s"}, "a task"));
    std::vector<std::string> items;
    for (char name = 'a'; name <= 'j'; ++name) items.emplace_back(1, name);
    const space::SearchSpace space =
        must(space::SearchSpace::make({must(space::Knob::permutation("order", items))}));
    std::vector<trial::Trial> trials(1);
    trials[0].configuration.indices = {3'000'000};
    trials[0].measurement.samples_seconds = {0.5};
    const store::SessionId id =
        sessions.add(StoredSessions::record_of(task, schedule::default_cuda_target(), space), {}, trials);
    exchange::ExportRequest request{.store = sessions.store(), .session = id};
    request.path = sessions.path("refused");
    const Status refused =
        exchange::export_session(*must(exchange::find_export_format("kernel-tuner")), request);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Refused);
    QVERIFY(refused.error().message.contains("order") && refused.error().hint.contains("json"));
    for (const std::string format : {"json", "t4", "csv"})
      QVERIFY(
          sessions.exported(id, format)
              .contains(format == "csv" ? space.knobs()[0].describe(3'000'000) : std::string("\"order\"")));
  }

  void changed_exports_are_read_as_others_files() {
    StoredSessions sessions;
    const task::Task task = must(task::make_generic_task({"a problem", "time", "s"}, "a task"));
    const space::SearchSpace space =
        must(space::SearchSpace::make({must(space::Knob::factorization("tile", 12, 2)),
                                       must(space::Knob::permutation("order", {"a", "b", "c"}))}));
    std::vector<trial::Trial> trials(2);
    trials[0].configuration.indices = {1, 2};
    trials[0].measurement.samples_seconds = {0.5};
    trials[1].number = 1;
    trials[1].configuration.indices = {3, 0};
    trials[1].measurement = recording_test::failed(trial::ErrorCategory::BuildTimeout, "too long");
    const store::SessionId id =
        sessions.add(StoredSessions::record_of(task, schedule::default_cuda_target(), space), {}, trials);
    std::string text = sessions.exported(id, "kernel-tuner");
    const exchange::ImportedFile same = must(read(text));
    QVERIFY(same.parts.at(0).own.has_value());
    const std::size_t cache = text.find("\"cache\"");
    text.replace(text.find("500.0", cache), 5, "400.0");
    const exchange::ImportedFile changed = must(read(text));
    const exchange::ImportedTrials& part = changed.parts.at(0);
    QVERIFY(!part.own.has_value());
    QVERIFY(changed.notices.at(0).contains("changed"));
    QCOMPARE(part.trials.at(0).measurement.recorded_seconds, 0.4);
    QVERIFY(part.trials.at(1).measurement.category == trial::ErrorCategory::CompileDevice);
    QCOMPARE(values_of(part, 0).at("tile_0").get<std::int64_t>(), space.knobs()[0].element(1, 0));
    QCOMPARE(values_of(part, 0).at("tile_1").get<std::int64_t>(), space.knobs()[0].element(1, 1));
    QCOMPARE(values_of(part, 0).at("order").get<std::string>(), space.knobs()[1].describe(2));
  }
};

KERNELSCAPE_TEST(ExchangeImportKernelTunerTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_kernel_tuner_test
#include "exchange_import_kernel_tuner_test.moc"
