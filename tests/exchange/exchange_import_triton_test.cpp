#include <fmt/format.h>

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/exchange/validation.h"
#include "core/schedule/target.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_triton_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

/** As Triton 3.4 writes it. */
const std::string matmul_cache =
    R"({"key": ["1024", "512", "torch.float16"], "configs_timings": [[{"kwargs": {"BLOCK_M": 128, "BLOCK_N": )"
    R"(64}, "num_warps": 4, "num_ctas": 1, "num_stages": 3, "maxnreg": null, "pre_hook": null, "ir_override": )"
    R"(null}, [0.0625, 0.06, 0.07]], [{"kwargs": {"BLOCK_M": 256, "BLOCK_N": 64}, "num_warps": 8, "num_ctas": )"
    R"(1, "num_stages": 4, "maxnreg": 168, "pre_hook": null, "ir_override": null}, [Infinity, Infinity, )"
    R"(Infinity]]]})";

Result<exchange::ImportedFile> read_cache(const std::string& text,
                                          const std::string& name = "matmul_kernel.autotune.json") {
  exchange::ImportText file(name, text);
  return read_as("triton", file);
}

const std::vector<double>* column_of(const exchange::ImportedTrials& part, const std::string& name) {
  for (const trial::RecordedColumn& column : part.columns)
    if (column.name == name) return &column.values;
  return nullptr;
}

/** A number as Python writes it. */
std::string python_number(double value) { return std::isinf(value) ? "Infinity" : json(value).dump(); }

}  // namespace

/** Triton's autotuning caches. */
class ExchangeImportTritonTest : public QObject {
  Q_OBJECT

 private slots:
  void a_real_cache() {
    const exchange::ImportedFile file = must(exchange::validated(must(read_cache(matmul_cache))));
    QVERIFY(file.natural == exchange::ImportAs::Recorded);
    const exchange::ImportedTrials& part = file.parts.at(0);
    const task::Task task = logged_task(part);
    QCOMPARE(task.name, std::string("matmul_kernel"));
    QCOMPARE(std::get<task::GenericProblem>(task.definition).problem,
             std::string(R"(matmul_kernel ["1024","512","torch.float16"])"));
    const std::map<std::string, std::string> first{{"BLOCK_M", "128"}, {"BLOCK_N", "64"},
                                                   {"num_warps", "4"}, {"num_stages", "3"},
                                                   {"num_ctas", "1"},  {"maxnreg", "none"}};
    QVERIFY(shown_values(part, 0) == first);
    QCOMPARE(shown_values(part, 1).at("maxnreg"), std::string("168"));
    QCOMPARE(part.trials[0].measurement.recorded_seconds, 0.0625e-3);
    QCOMPARE(part.trials[0].measurement.samples_seconds, std::vector<double>{0.0625e-3});
    QVERIFY(part.trials[1].measurement.category == trial::ErrorCategory::UnknownError);
    QVERIFY(part.trials[1].measurement.message.contains("exceed resources"));
    QCOMPARE(column_of(part, "20 % quantile [s]")->at(0), 0.06e-3);
    QCOMPARE(column_of(part, "80 % quantile [s]")->at(0), 0.07e-3);
    QVERIFY(std::isnan(column_of(part, "20 % quantile [s]")->at(1)));
    QVERIFY(has_notice(file.notices, "neither the device"));
    QVERIFY(has_notice(file.notices, "1 of 2 configurations failed"));
  }

  /** What programs that took Triton's code over write: configurations as texts, keys of any type. */
  void configurations_as_texts() {
    const std::string text =
        R"({"key": [4096, true, [1, 2]], "configs_timings": [["BLOCK_M: 128, num_warps: 4, causal: True, maxnreg: None", 0.5], )"
        R"json(["config: GemmConfig(tile_m=128, tile_n=(64, 2), pingpong=False)", [0.25, 0.2, 0.3]], )json"
        R"(["no members", 1.0]]})";
    const exchange::ImportedTrials part = must(exchange::validated(must(read_cache(text)))).parts.at(0);
    auto values = shown_values(part, 0);
    QCOMPARE(values.at("BLOCK_M"), std::string("128"));
    QCOMPARE(values.at("causal"), std::string("true"));
    QCOMPARE(values.at("tile_m"), std::string("none"));
    QVERIFY(!values.contains("maxnreg"));
    values = shown_values(part, 1);
    QCOMPARE(values.at("tile_m"), std::string("128"));
    QCOMPARE(values.at("tile_n"), std::string("(64, 2)"));
    QCOMPARE(values.at("pingpong"), std::string("false"));
    QCOMPARE(values.at("num_warps"), std::string("none"));
    QCOMPARE(shown_values(part, 2).at("config"), std::string("no members"));
    QCOMPARE(part.trials[2].measurement.recorded_seconds, 1e-3);
  }

  void random_caches_come_back() {
    base::Random random(testing::random_seed());
    const std::string mode = json("Infinity \" NaN").dump();
    for (int round = 0; round < 30; ++round) {
      const std::size_t entries = 1 + random.below(60);
      const bool lists = random.chance(0.5);
      std::string text = R"({"key": ["12", "Infinity"], "configs_timings": [)";
      std::vector<std::map<std::string, std::string>> expected;
      std::vector<double> milliseconds;
      for (std::size_t i = 0; i < entries; ++i) {
        const int block = 16 << random.below(6);
        const int warps = 1 << random.below(4);
        const bool even = random.chance(0.5);
        expected.push_back({{"BLOCK", fmt::format("{}", block)},
                            {"EVEN", even ? "true" : "false"},
                            {"MODE", "Infinity \" NaN"},
                            {"num_warps", fmt::format("{}", warps)}});
        const bool failed = random.chance(0.2);
        milliseconds.push_back(failed ? std::numeric_limits<double>::infinity() : 1e-3 + random.uniform());
        const std::string time = python_number(milliseconds.back());
        text += i == 0 ? "" : (random.chance(0.5) ? ", " : ",\n  ");
        text += fmt::format(
            R"([{{"kwargs": {{"BLOCK": {}, "EVEN": {}, "MODE": {}}}, "num_warps": {}, "pre_hook": null}}, {}])",
            block, even, mode, warps, lists ? fmt::format("[{0}, {0}, {0}]", time) : time);
      }
      const exchange::ImportedTrials part =
          must(exchange::validated(must(read_cache(text + "]}")))).parts.at(0);
      QCOMPARE(part.trials.size(), entries);
      for (std::size_t i = 0; i < entries; ++i) {
        QVERIFY(shown_values(part, i) == expected[i]);
        const bool failed = std::isinf(milliseconds[i]);
        QCOMPARE(part.trials[i].measurement.valid(), !failed);
        if (!failed) QCOMPARE(part.trials[i].measurement.recorded_seconds, milliseconds[i] / 1e3);
      }
      QCOMPARE(column_of(part, "20 % quantile [s]") != nullptr,
               lists && std::ranges::any_of(milliseconds, [](double time) { return std::isfinite(time); }));
    }
  }

  /** NaN is none, and what comes after it is still read as Python wrote it. */
  void numbers_that_are_none() {
    const exchange::ImportedFile file = must(read_cache(
        R"({"configs_timings": [[{"num_warps": 1}, NaN], [{"num_warps": 2}, Infinity], [{"num_warps": 4}, 0.5]]})"));
    QCOMPARE(file.parts.at(0).trials.size(), std::size_t{2});
    QVERIFY(!file.parts[0].trials[0].measurement.valid());
    QVERIFY(has_notice(file.notices, "configs_timings[0]: skipped"));
  }

  void bad_entries_are_skipped_and_reported_data() {
    QTest::addColumn<QByteArray>("entry");
    QTest::addColumn<QString>("says");
    QTest::newRow("no list") << QByteArray("3") << "[configuration, timing]";
    QTest::newRow("no configuration") << QByteArray("[4, 0.5]") << "configuration";
    QTest::newRow("kwargs of a wrong type") << QByteArray(R"([{"kwargs": 3}, 0.5])") << "kwargs";
    QTest::newRow("a knob twice") << QByteArray(R"([{"kwargs": {"num_warps": 3}, "num_warps": 4}, 0.5])")
                                  << "twice";
    QTest::newRow("a text as time") << QByteArray(R"([{"kwargs": {}, "num_warps": 4}, "fast"])") << "time";
    QTest::newRow("NaN") << QByteArray(R"([{"kwargs": {}, "num_warps": 4}, NaN])") << "time";
    QTest::newRow("no time") << QByteArray(R"([{"kwargs": {}, "num_warps": 4}, []])") << "empty list";
    QTest::newRow("time of zero") << QByteArray(R"([{"kwargs": {}, "num_warps": 4}, 0])") << "impossible";
    QTest::newRow("negative time") << QByteArray(R"([{"kwargs": {}, "num_warps": 4}, [-1, 2, 3]])")
                                   << "impossible";
    QTest::newRow("a century") << QByteArray(R"([{"kwargs": {}, "num_warps": 4}, 1e18])") << "ten years";
    QTest::newRow("name of a knob") << QByteArray(R"([{"kwargs": {"a\u0007": 3}}, 0.5])")
                                    << "not a valid name";
    QTest::newRow("long value") << QByteArray::fromStdString(fmt::format(
                                       R"([{{"kwargs": {{"a": "{}"}}}}, 0.5])", std::string(5000, 'x')))
                                << "too long";
  }

  void bad_entries_are_skipped_and_reported() {
    QFETCH(QByteArray, entry);
    QFETCH(QString, says);
    const std::string good = R"([{"kwargs": {"B": 1}, "num_warps": 4}, 0.5])";
    const std::string text =
        fmt::format(R"({{"key": [], "configs_timings": [{}, {}, {}]}})", good, entry.toStdString(), good);
    const exchange::ImportedFile file = must(exchange::validated(must(read_cache(text))));
    QCOMPARE(file.parts.at(0).trials.size(), std::size_t{2});
    QVERIFY(has_notice(file.notices, "configs_timings[1]: skipped"));
    QVERIFY(has_notice(file.notices, says.toStdString()));
    const auto alone = read_cache(fmt::format(R"({{"configs_timings": [{}]}})", entry.toStdString()));
    QVERIFY(!alone && alone.error().message.contains("matmul_kernel.autotune.json"));
    QVERIFY(describe(alone.error()).contains(says.toStdString()));
  }

  void bad_files_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << QByteArray() << "line 1";
    QTest::newRow("torn") << QByteArray::fromStdString(matmul_cache.substr(0, 200)) << "ends too early";
    QTest::newRow("no object") << QByteArray("[]") << "not an object";
    QTest::newRow("no timings") << QByteArray(R"({"configs_timings": 3})") << "not a list";
    QTest::newRow("none") << QByteArray(R"({"configs_timings": []})") << "empty";
    QTest::newRow("minus infinity") << QByteArray(R"({"configs_timings": [[{}, -Infinity]]})")
                                    << "impossible";
    QTest::newRow("deep") << QByteArray(100'000, '[') << "nested";
  }

  void bad_files() {
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    const auto file = read_cache(text.toStdString());
    QVERIFY(!file);
    QVERIFY2(describe(file.error()).contains(says.toStdString()), describe(file.error()).c_str());
    QVERIFY(file.error().message.contains("matmul_kernel.autotune.json"));
  }

  /** Told by content; the name says the kernel, and several keys are several tasks. */
  void files_become_recorded_spaces() {
    StoredSessions sessions;
    const std::string other = std::string(matmul_cache).replace(matmul_cache.find("1024"), 4, "2048");
    for (const auto& [name, bytes] :
         {std::pair{std::string("matmul_kernel.autotune.json"), matmul_cache},
          std::pair{std::string("matmul_kernel.autotune.json.gz"), gzipped(other)}}) {
      write_text(QString::fromStdString(sessions.path(name)), bytes);
      const std::filesystem::path path = sessions.path(name);
      const exchange::ImportOutcome outcome = must(exchange::import_file(sessions.store(), path));
      QCOMPARE(outcome.format, std::string("triton"));
      QCOMPARE(outcome.sessions.at(0).name, std::string("matmul_kernel"));
      QVERIFY(outcome.sessions[0].kind == store::SessionKind::Recorded && !outcome.sessions[0].existed);
      QVERIFY(must(exchange::import_file(sessions.store(), path)).sessions.at(0).existed);
      const exchange::ImportOutcome session =
          must(exchange::import_file(sessions.store(), path, exchange::ImportAs::Session));
      QVERIFY(session.sessions.at(0).kind == store::SessionKind::Imported);
      QCOMPARE(session.sessions[0].trials, std::int64_t{2});
    }
  }
};

KERNELSCAPE_TEST(ExchangeImportTritonTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_triton_test
#include "exchange_import_triton_test.moc"
