#include <QTest>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "core/exchange/compact_trials.h"
#include "core/exchange/import_optuna.h"
#include "core/store/sqlite.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_optuna_test {
using namespace kernelscape::exchange_tests;

namespace {

/** The tables of Optuna 3, as far as they are read, with a study that minimizes and one that maximizes. */
const std::string storage =
    "CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name TEXT);"
    "CREATE TABLE study_directions (study_id INTEGER, objective INTEGER, direction TEXT);"
    "CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state TEXT);"
    "CREATE TABLE trial_params (trial_id INTEGER, param_name TEXT, param_value REAL, distribution_json TEXT);"
    "CREATE TABLE trial_values (trial_id INTEGER, objective INTEGER, value REAL, value_type TEXT);"
    "INSERT INTO studies VALUES (1, 'blocks'), (2, 'throughput');"
    "INSERT INTO study_directions VALUES (1, 0, 'MINIMIZE'), (2, 0, 'MAXIMIZE');"
    "INSERT INTO trials VALUES (1, 0, 1, 'COMPLETE'), (2, 1, 1, 'FAIL'), (3, 2, 1, 'RUNNING'), "
    "(4, 0, 2, 'COMPLETE');"
    "INSERT INTO trial_params VALUES "
    R"((1, 'block', 64.0, '{"name": "IntDistribution", "attributes": {"low": 1, "high": 128}}'),)"
    R"((1, 'mode', 1.0, '{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}'),)"
    R"((2, 'block', 32.0, '{"name": "IntDistribution", "attributes": {"low": 1, "high": 128}}'),)"
    R"((4, 'x', 0.5, '{"name": "FloatDistribution", "attributes": {"low": 0, "high": 1}}');)"
    "INSERT INTO trial_values VALUES (1, 0, 2.5, 'FINITE'), (4, 0, 4.0, 'FINITE'), (1, 1, 7.0, 'FINITE'), "
    "(3, 1, 9.0, 'FINITE');";

}  // namespace

/** Storages of Optuna. */
class ExchangeImportOptunaTest : public QObject {
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
  void studies_become_recorded_spaces() {
    const std::string path = database_of("optuna.db", storage);
    QVERIFY(exchange::is_optuna_storage(path));
    exchange::ImportedFile file =
        must(exchange::read_import(exchange::ImportSource{.path = path, .table = {.unit = "ms"}}));
    QCOMPARE(file.parts.size(), std::size_t{2});
    for (exchange::ImportedTrials& part : file.parts) QVERIFY(exchange::expand_trials(part).has_value());
    const exchange::ImportedTrials& part = file.parts[0];
    QCOMPARE(logged_task(part).name, std::string("blocks"));
    QCOMPARE(part.trials.size(), std::size_t{2});
    QCOMPARE(values_of(part, 0), nlohmann::json::parse(R"({"block": 64, "mode": "b"})"));
    QCOMPARE(values_of(part, 1), nlohmann::json::parse(R"({"block": 32, "mode": "none"})"));
    QCOMPARE(part.trials[0].measurement.median_seconds(), 2.5e-3);
    QCOMPARE(part.trials[1].measurement.message, std::string("FAIL"));
    const auto further = std::ranges::find(part.columns, "objective 1", &trial::RecordedColumn::name);
    QVERIFY(further != part.columns.end());
    QCOMPARE(further->values[0], 7.0);
    QVERIFY(std::isnan(further->values[1]));
    const exchange::ImportOutcome outcome = must(exchange::import_file(sessions_.store(), path));
    QCOMPARE(outcome.sessions.size(), std::size_t{2});
    QVERIFY(has_notice(outcome.notices, "--unit"));
    QVERIFY(has_notice(outcome.notices, "throughput: it was maximized"));
  }

  void forged_storages_are_refused_data() {
    QTest::addColumn<QByteArray>("statements");
    QTest::addColumn<QByteArray>("words");
    QTest::addRow("computed column")
        << QByteArray(
               "ALTER TABLE trials ADD COLUMN twice TEXT GENERATED ALWAYS AS (state || state) VIRTUAL;")
        << QByteArray("computed content");
    QTest::addRow("long name") << QByteArray("UPDATE studies SET study_name = hex(zeroblob(3000000));")
                               << QByteArray("too big");
  }
  void forged_storages_are_refused() {
    QFETCH(QByteArray, statements);
    QFETCH(QByteArray, words);
    const std::string path =
        database_of(std::string(QTest::currentDataTag()) + ".db", storage + statements.toStdString());
    QVERIFY(exchange::is_optuna_storage(path));
    const std::string error = error_of(exchange::read_import(path));
    QVERIFY2(error.contains(words.toStdString()), error.c_str());
  }

  /** Only the unit can be stated. */
  void options_of_tables_are_refused() {
    const std::string path = database_of("optuna.db", storage);
    for (const exchange::TableOptions& table :
         {exchange::TableOptions{.parameters = {"block"}}, exchange::TableOptions{.objective = "value"},
          exchange::TableOptions{.failed_when = {"state!=COMPLETE"}}}) {
      const std::string error =
          error_of(exchange::read_import(exchange::ImportSource{.path = path, .table = table}));
      QVERIFY2(error.contains("import it without --parameters"), error.c_str());
    }
  }

  void options_of_tables_are_refused_for_databases_of_this_program() {
    const std::string path = sessions_.path("other_store.db");
    QVERIFY(store::Store::open(path).has_value());
    const std::string error =
        error_of(exchange::read_import(exchange::ImportSource{.path = path, .table = {.unit = "ms"}}));
    QVERIFY2(error.contains("import it without --parameters"), error.c_str());
  }

  void other_databases_are_none() {
    QVERIFY(!exchange::is_optuna_storage(database_of("other.db", "CREATE TABLE trials (trial_id INTEGER);")));
    QVERIFY(!exchange::is_optuna_storage(sessions_.path("test.db")));
    QVERIFY(!exchange::is_optuna_storage(sessions_.path("nowhere.db")));
  }
};

KERNELSCAPE_TEST(ExchangeImportOptunaTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_optuna_test
#include "exchange_import_optuna_test.moc"
