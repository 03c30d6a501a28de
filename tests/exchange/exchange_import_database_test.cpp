#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/kernel/family.h"
#include "core/schedule/template.h"
#include "tests/exchange/database_dump.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/stored_session.h"
#include "tests/store/random_session.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_database_test {
using namespace kernelscape::exchange_tests;

namespace fs = std::filesystem;

namespace {

/** A session of a real task on a made-up GPU, with trials that worked and trials that did not. */
store::SessionId add_session(StoredSessions& sessions, const std::string& name, base::Random& random,
                             int trials) {
  const task::Task task = task::parse_task("matmul 64x64 64x64 f32").value();
  const schedule::TargetDescription target = schedule::default_cuda_target();
  const schedule::ScheduledKernel kernel = schedule::apply_template(task, target).value();
  store::SessionRecord record = StoredSessions::record_of(task, target, kernel.space());
  record.name = name;
  record.template_name = kernel.template_name();
  record.template_version = kernel.template_version();
  record.real_measurements = true;
  std::vector<trial::Trial> made;
  store::SessionStatus status;
  status.state = store::SessionState::Done;
  for (int i = 0; i < trials; ++i) {
    trial::Trial trial;
    trial.number = i;
    trial.configuration = kernel.space().random_member(random).value();
    trial.finished_seconds = i;
    trial::Measurement& measurement = trial.measurement;
    if (random.chance(0.3)) {
      measurement.category = trial::ErrorCategory::RuntimeDevice;
      measurement.message = "CUDA_ERROR_ILLEGAL_ADDRESS";
    } else {
      measurement.samples_seconds.assign(3, 1e-4 + 1e-5 * static_cast<double>(random.below(9)));
    }
    made.push_back(std::move(trial));
  }
  return sessions.add(record, status, made);
}

std::vector<trial::Trial> trials_of(const store::Store& store, store::SessionId id) {
  return must(store.trials().of(id));
}

}  // namespace

/** What another machine measured comes home as the database that it wrote there. */
class ExchangeImportDatabaseTest : public QObject {
  Q_OBJECT

 private slots:
  void all_sessions_become_a_collection() {
    base::Random random = store_test::printed_random();
    StoredSessions there;
    std::vector<store::SessionId> made;
    for (const char* name : {"gp on C2", "random on C2", "record"})
      made.push_back(add_session(there, name, random, 12));
    StoredSessions here;
    const exchange::ImportOutcome outcome = must(exchange::import_file(here.store(), there_path(there)));
    QCOMPARE(outcome.format, std::string("database"));
    QVERIFY(outcome.collection.has_value());
    QCOMPARE(outcome.sessions.size(), made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      const store::SessionSummary before = must(there.store().sessions().get(made[i]));
      const store::SessionSummary after = must(here.store().sessions().get(outcome.sessions[i].session));
      QCOMPARE(after.record.name, before.record.name);
      QCOMPARE(after.record.task_name, before.record.task_name);
      QVERIFY(after.record.kind == store::SessionKind::Imported && !store::measured_here(after.record));
      QVERIFY(after.record.origin.find("there.db") != std::string::npos);
      const std::vector<trial::Trial> expected = trials_of(there.store(), made[i]);
      const std::vector<trial::Trial> actual = trials_of(here.store(), outcome.sessions[i].session);
      QCOMPARE(actual.size(), expected.size());
      for (std::size_t trial = 0; trial < expected.size(); ++trial) {
        QVERIFY(actual[trial].configuration == expected[trial].configuration);
        QVERIFY(actual[trial].measurement == expected[trial].measurement);
      }
    }
  }

  void one_session_needs_no_collection() {
    base::Random random = store_test::printed_random();
    StoredSessions there;
    add_session(there, "record", random, 5);
    StoredSessions here;
    const exchange::ImportOutcome outcome = must(exchange::import_file(here.store(), there_path(there)));
    QVERIFY(!outcome.collection);
    QCOMPARE(outcome.sessions.size(), std::size_t{1});
    QCOMPARE(outcome.sessions.front().name, std::string("record"));
    QCOMPARE(outcome.sessions.front().trials, std::int64_t{5});
  }

  void an_open_or_empty_one_is_refused() {
    StoredSessions here;
    QVERIFY(error_of(exchange::import_file(here.store(), here.path("test.db"))).contains("already open"));
    StoredSessions empty;
    QVERIFY(error_of(exchange::import_file(here.store(), there_path(empty))).contains("without a session"));
    QVERIFY(must(here.store().sessions().all()).empty());
  }

  /** Nothing of a damaged database is stored: it is somebody else's file. */
  void a_damaged_one_brings_nothing() {
    base::Random random = store_test::printed_random();
    StoredSessions there;
    add_session(there, "record", random, 30);
    const fs::path good = there_path(there);
    std::ifstream file(good, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    StoredSessions here;
    for (int round = 0; round < 60; ++round) {
      std::string damaged = bytes;
      if (random.chance(0.3)) damaged.resize(100 + random.below(damaged.size() - 100));
      for (int i = 0; i < 40; ++i)
        damaged[64 + random.below(damaged.size() - 64)] = static_cast<char>(random.below(256));
      const fs::path path = there.path("damaged" + std::to_string(round) + ".db");
      std::ofstream(path, std::ios::binary) << damaged;
      const std::size_t before = must(here.store().sessions().all()).size();
      const auto outcome = exchange::import_file(here.store(), path);
      const std::size_t stored = must(here.store().sessions().all()).size() - before;
      QCOMPARE(stored, outcome ? outcome->sessions.size() : std::size_t{0});
      QVERIFY(outcome || outcome.error().message.find(path.filename().string()) != std::string::npos);
    }
  }

 private:
  /** A copy that nobody has open. */
  static fs::path there_path(StoredSessions& sessions) {
    const fs::path copy = sessions.path("there.db");
    fs::remove(copy);
    OtherConnection(sessions.path("test.db")).rows("VACUUM INTO '" + copy.string() + "'");
    return copy;
  }
};

KERNELSCAPE_TEST(ExchangeImportDatabaseTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_database_test
#include "exchange_import_database_test.moc"
