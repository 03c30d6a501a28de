#include <fmt/format.h>

#include <QTest>
#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "core/exchange/compact_trials.h"
#include "core/exchange/foreign_database.h"
#include "core/exchange/formats/pickled_dict.h"
#include "core/exchange/import_opentuner.h"
#include "core/store/sqlite.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/pickled.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_opentuner_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

/** OpenTuner's tables, as far as they are read, with one program, one input and one machine. */
const std::string tables =
    "CREATE TABLE program (id INTEGER PRIMARY KEY, project VARCHAR(128), name VARCHAR(128));"
    "CREATE TABLE configuration (id INTEGER PRIMARY KEY, program_id INTEGER, hash VARCHAR(64), data BLOB);"
    "CREATE TABLE machine (id INTEGER PRIMARY KEY, name VARCHAR(128), cpu VARCHAR(128));"
    "CREATE TABLE input_class (id INTEGER PRIMARY KEY, program_id INTEGER, name VARCHAR(128), size INTEGER);"
    "CREATE TABLE tuning_run (id INTEGER PRIMARY KEY, input_class_id INTEGER, objective BLOB);"
    "CREATE TABLE result (id INTEGER PRIMARY KEY, configuration_id INTEGER, machine_id INTEGER, "
    "tuning_run_id INTEGER, state VARCHAR(7), time FLOAT, accuracy FLOAT, energy FLOAT, size FLOAT, "
    "confidence FLOAT);"
    "CREATE TABLE desired_result (id INTEGER PRIMARY KEY, configuration_id INTEGER);"
    "INSERT INTO program VALUES (1, 'unknown', 'mmm');"
    "INSERT INTO machine VALUES (1, 'host', 'Test CPU');"
    "INSERT INTO input_class VALUES (1, 1, 'default', 512);";

// Written by Python: an object of the class MaximizeAccuracy of opentuner.search.objective.
const std::string maximized =
    std::string("\x80\x02") + "copentuner.search.objective\nMaximizeAccuracy\nq" + '\0' + ")\x81q\x01.";
const std::string minimized =
    std::string("\x80\x02") + "copentuner.search.objective\nMinimizeTime\nq" + '\0' + ")\x81q\x01.";

/** A configuration with a result of run 1, which has the same number. */
std::string result(int number, const std::string& pickle, const std::string& state, const std::string& time,
                   const std::string& accuracy = "NULL") {
  return fmt::format(
      "INSERT INTO configuration VALUES ({0}, 1, 'h', {1});"
      "INSERT INTO result VALUES ({0}, {0}, 1, 1, '{2}', {3}, {4}, NULL, NULL, 1.0);",
      number, sql_blob(pickle), state, time, accuracy);
}

std::string run(const std::string& objective) {
  return fmt::format("INSERT INTO tuning_run VALUES (1, 1, {});", sql_blob(objective));
}

json random_value(base::Random& random, int depth) {
  switch (random.below(depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return random.below(2) == 0;
    case 2:
      return static_cast<std::int64_t>(random.below(std::uint64_t{1} << 40)) - (std::int64_t{1} << 20);
    case 3:
      return random.uniform();
    case 4:
      return std::string(random.below(20), 'a') + "\xc3\xa4";
    default: {
      json list = json::array();
      for (std::size_t i = random.below(4); i > 0; --i) list.push_back(random_value(random, depth - 1));
      return list;
    }
  }
}

}  // namespace

/** OpenTuner's databases and their pickles, of which nothing is executed. */
class ExchangeImportOpentunerTest : public QObject {
  Q_OBJECT

 private:
  StoredSessions sessions_;

  std::string database_of(const std::string& name, const std::string& statements) {
    constexpr std::chrono::milliseconds no_wait{0};
    std::filesystem::remove(sessions_.path(name));
    auto database = must(store::sqlite::Database::open(
        sessions_.path(name), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false, no_wait));
    if (const Status written = database.execute(statements); !written)
      throw std::runtime_error(describe(written.error()));
    return sessions_.path(name);
  }

 private slots:
  void pickles_of_python_are_read_data() {
    QTest::addColumn<QByteArray>("digits");
    QTest::addRow("protocol 2") << QByteArray(
        "80027d7100285805000000626c6f636b71014b4058040000006d6f6465710258040000006661737471035803000000706164"
        "71"
        "048958050000006f7264657271055d7106284b024b004b01655805000000616c7068617107473fe000000000000058040000"
        "006e"
        "6f6e6571084e580300000062696771098a0600000000000158030000006e6567710a4afdffffff752e");
    QTest::addRow("protocol 5") << QByteArray(
        "80059568000000000000007d94288c05626c6f636b944b408c046d6f6465948c0466617374948c0370616494898c056f7264"
        "65"
        "72945d94284b024b004b01658c05616c70686194473fe00000000000008c046e6f6e65944e8c03626967948a060000000000"
        "01"
        "8c036e6567944afdffffff752e");
  }
  void pickles_of_python_are_read() {
    QFETCH(QByteArray, digits);
    const std::string bytes = bytes_of_hex(digits.toStdString());
    const json expected{{"block", 64},
                        {"mode", "fast"},
                        {"pad", false},
                        {"order", {2, 0, 1}},
                        {"alpha", 0.5},
                        {"none", nullptr},
                        {"big", std::int64_t{1} << 40},
                        {"neg", -3}};
    QCOMPARE(must(exchange::read_pickle(bytes)), expected);
    QCOMPARE(must(exchange::read_pickle(compressed(bytes))), expected);
  }

  void random_values_come_back() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 300; ++round) {
      json value = json::object();
      for (std::size_t i = random.below(6); i > 0; --i)
        value[fmt::format("p{}", i)] = random_value(random, 3);
      const std::string bytes = pickled(value);
      QCOMPARE(must(exchange::read_pickle(round % 2 == 0 ? bytes : compressed(bytes))), value);
      // Damaged ones give a value or an error.
      std::string damaged = bytes.substr(0, random.below(bytes.size() + 1));
      if (!damaged.empty()) damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
      const auto read = exchange::read_pickle(damaged);
      QVERIFY(read || read.error().message.contains("pickle"));
    }
  }

  void nothing_of_a_pickle_is_executed_data() {
    QTest::addColumn<QByteArray>("pickle");
    QTest::addColumn<QByteArray>("words");
    QTest::addRow("call") << QByteArray(
                                 "\x80\x02"
                                 "cos\nsystem\nX\x04\0\0\0true\x85R.",
                                 25)
                          << QByteArray("\"system\", which is not loaded");
    QTest::addRow("call of protocol 4")
        << QByteArray("\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.")
        << QByteArray("\"system\", which is not loaded");
    QTest::addRow("list in itself") << QByteArray(
                                           "\x80\x02]q\x01h\x01"
                                           "a.")
                                    << QByteArray("twice");
    QTest::addRow("number of 72 bits") << QByteArray(
                                              "\x80\x02\x8a\x09"
                                              "123456789.")
                                       << QByteArray("64 bits");
    QTest::addRow("not UTF-8") << QByteArray("\x80\x02U\x01\xff.") << QByteArray("UTF-8");
    QTest::addRow("deep lists") << "\x80\x02" + QByteArray(40, ']') + QByteArray(39, 'a') + "."
                                << QByteArray("nested");
    QTest::addRow("torn") << QByteArray("\x80\x02}U\x09x") << QByteArray("too early");
    QTest::addRow("newer") << QByteArray("\x80\x06}.") << QByteArray("protocol 6");
  }
  void nothing_of_a_pickle_is_executed() {
    QFETCH(QByteArray, pickle);
    QFETCH(QByteArray, words);
    const std::string error = error_of(exchange::read_pickle(pickle.toStdString()));
    QVERIFY2(error.contains(words.toStdString()), error.c_str());
  }

  void a_small_pickle_cannot_exhaust_the_memory() {
    // A text of a megabyte that is used a thousand times, and a megabyte of zeros in a kilobyte.
    std::string repeated = "\x80\x02]q" + std::string(1, '\0') + "(X" + little_endian(1 << 20, 4) +
                           std::string(1 << 20, 'a') + "q\x01";
    for (int i = 0; i < 1000; ++i) repeated += "h\x01";
    QVERIFY(error_of(exchange::read_pickle(repeated + "e.")).contains("4 MiB"));
    QVERIFY(error_of(exchange::read_pickle(compressed(std::string(16 << 20, 'N')))).contains("4 MiB"));
  }

  void programs_become_recorded_spaces() {
    const std::string path = database_of(
        "opentuner.db", tables + run(minimized) +
                            result(1, compressed(pickled({{"block", 64}, {"order", {1, 0}}})), "OK", "0.5") +
                            result(2, pickled({{"block", 32}, {"order", {0, 1}}}), "OK", "0.25") +
                            result(3, pickled({{"block", 16}, {"order", {0, 1}}}), "TIMEOUT", "3.4e38") +
                            result(4, pickled({{"block", 8}, {"order", {0, 1}}}), "OK", "3.4e38") +
                            result(5,
                                   "\x80\x02"
                                   "cos\nsystem\n.",
                                   "OK", "0.1"));
    QVERIFY(exchange::is_opentuner_database(path));
    exchange::ImportedFile file = must(exchange::read_import(path));
    QCOMPARE(file.parts.size(), std::size_t{1});
    QVERIFY(exchange::expand_trials(file.parts[0]).has_value());
    const exchange::ImportedTrials& part = file.parts[0];
    QCOMPARE(logged_task(part).name, std::string("mmm size 512"));
    QVERIFY(part.header.target_json.contains("Test CPU"));
    QCOMPARE(part.trials.size(), std::size_t{4});
    QCOMPARE(values_of(part, 0), json::parse(R"({"block": 64, "order": "[1,0]"})"));
    QCOMPARE(part.trials[1].measurement.median_seconds(), 0.25);
    QVERIFY(part.trials[2].measurement.category == trial::ErrorCategory::RunTimeout);
    QVERIFY(!part.trials[3].measurement.valid());
    QVERIFY(has_notice(file.notices, "result 5"));
    const exchange::ImportedFile stated =
        must(exchange::read_import(exchange::ImportSource{.path = path, .table = {.unit = "ms"}}));
    const auto recording = must(exchange::recording_of(stated.parts.at(0)));
    QCOMPARE(recording->seconds(*recording->best()), 0.25e-3);
    QCOMPARE(exchange::import_file(sessions_.store(), path)->sessions.size(), std::size_t{1});
  }

  void an_accuracy_that_was_maximized_ranks() {
    const std::string path = database_of(
        "accuracy.db", tables + run(maximized) + result(1, pickled({{"x", 1}}), "OK", "5", "0.5") +
                           result(2, pickled({{"x", 2}}), "OK", "1", "0.25"));
    exchange::ImportedFile file = must(exchange::read_import(path));
    const auto recording = must(exchange::recording_of(file.parts.at(0)));
    QCOMPARE(recording->seconds(*recording->best()), 2.0);
    QVERIFY(has_notice(file.notices, "accuracy was maximized"));
    QVERIFY(!has_notice(file.notices, "--unit"));
    const auto stated =
        must(exchange::read_import(exchange::ImportSource{.path = path, .table = {.unit = "ms"}}));
    QVERIFY(has_notice(stated.notices, "--unit states the unit of times and has no effect"));
  }

  void an_accuracy_that_had_to_be_reached_is_named() {
    const std::string threshold = std::string("\x80\x02") +
                                  "copentuner.search.objective\nThresholdAccuracyMinimizeTime\nq" + '\0' +
                                  ")\x81q\x01.";
    const std::string path = database_of(
        "threshold.db", tables + run(threshold) + result(1, pickled({{"x", 1}}), "OK", "5", "0.5") +
                            result(2, pickled({{"x", 2}}), "OK", "1", "0.25"));
    exchange::ImportedFile file = must(exchange::read_import(path));
    QCOMPARE(must(exchange::recording_of(file.parts.at(0)))->seconds(0), 5.0);
    QVERIFY(has_notice(file.notices, "ranks by the time alone"));
  }

  void only_the_unit_can_be_stated() {
    const std::string path = database_of("options.db", tables + run(minimized));
    const std::string error = error_of(
        exchange::read_import(exchange::ImportSource{.path = path, .table = {.parameters = {"block"}}}));
    QVERIFY2(error.contains("a database of OpenTuner") && error.contains("without --parameters"),
             error.c_str());
    // A database without results says so.
    const std::string empty = error_of(exchange::read_import(path));
    QVERIFY2(empty.contains("no results") && empty.contains("options.db"), empty.c_str());
  }

  void forged_databases_are_refused() {
    const std::string computed = database_of(
        "computed.db",
        tables + run(minimized) +
            "ALTER TABLE result ADD COLUMN twice TEXT GENERATED ALWAYS AS (state || state) VIRTUAL;");
    QVERIFY(error_of(exchange::read_import(computed)).contains("computed content"));
    const std::string typed =
        database_of("typed.db", tables + run(minimized) + result(1, pickled({{"x", 1}}), "OK", "'fast'") +
                                    result(2, pickled({1, 2}), "OK", "1"));
    const exchange::ImportedFile read = must(exchange::read_import(typed));
    QCOMPARE(exchange::trial_count(read.parts.at(0)), std::size_t{1});
    QVERIFY(has_notice(read.notices, "result 2"));
    QVERIFY(exchange::foreign_database(sessions_.path("test.db")) == nullptr);
    QVERIFY(!exchange::is_opentuner_database(
        database_of("other.db", "CREATE TABLE result (id INTEGER PRIMARY KEY);")));
  }
};

KERNELSCAPE_TEST(ExchangeImportOpentunerTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_opentuner_test
#include "exchange_import_opentuner_test.moc"
