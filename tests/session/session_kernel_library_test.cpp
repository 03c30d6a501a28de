#include <sqlite3.h>

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>
#include <tuple>

#include "core/session/kernel_library.h"
#include "core/session/report.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_kernel_library_test {
using namespace kernelscape::session_tests;

namespace {

/** What a library of sessions holds, worked out from whole reports. */
std::map<std::pair<std::string, std::string>, session::Report> expected_kernels(const store::Store& store) {
  const auto rank = [](const session::Report& report) {
    return std::tuple(!report.best_confirmed, report.best.seconds);
  };
  std::map<std::pair<std::string, std::string>, session::Report> best;
  const std::vector<store::SessionSummary> sessions = store.sessions().all().value();
  for (const store::SessionSummary& session : sessions) {
    session::Report report = *session::make_session_report(store, session.record.id);
    if (!report.best_trial) continue;
    const std::pair key(report.task.text, session.record.target_json);
    const auto known = best.find(key);
    if (known == best.end() || rank(report) < rank(known->second)) best.insert_or_assign(key, report);
  }
  return best;
}

}  // namespace

/** The best kernel per task and target over all sessions. */
class SessionKernelLibraryTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Bench> bench_;

  session::Setup setup_of(const char* task, const char* device, std::uint64_t seed) const;
  store::SessionId run(const session::Setup& setup, bool confirmed, double factor = 1, bool loaded = false);
  store::SessionId claim(store::SessionId measured, store::SessionKind kind, double factor);

 private slots:
  void init();
  void isEmptyWithoutSessions();
  void agreesWithTheReportsOfRandomSessions();
  void confirmedBeforeFaster();
  void confirmedUnderLoadCountsAsMeasured_data();
  void confirmedUnderLoadCountsAsMeasured();
  void saysWhereItComesFrom();
  void aConfirmationOlderThanABetterTrialDoesNotCount();
  void trashedAndInvalidSessionsAreLeftOut();
  void whatWasMeasuredHereComesFirst();
  void whatFilesSayStandsAloneWhereNothingWasMeasured();
  void unreadableSessionsHideNobody_data();
  void unreadableSessionsHideNobody();
};

void SessionKernelLibraryTest::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  bench_ = std::make_unique<Bench>(folder_->filePath("test.db").toStdString());
}

session::Setup SessionKernelLibraryTest::setup_of(const char* task, const char* device,
                                                  std::uint64_t seed) const {
  session::Setup setup = make_setup("random", seed, 12, 4);
  setup.task = *task::parse_task(task);
  setup.target.device = device;
  return setup;
}

/**
 * @param factor of what measuring the best again gives
 * @param loaded other programs used the machine during the confirmation
 */
store::SessionId SessionKernelLibraryTest::run(const session::Setup& setup, bool confirmed, double factor,
                                               bool loaded) {
  bench_->confirmer = {};
  if (confirmed) {
    bench_->confirmer = [factor, loaded](std::span<const space::Configuration> configurations,
                                         const session::StopRequest&,
                                         double) -> Result<measure::Confirmations> {
      measure::Confirmations report;
      for (const space::Configuration& configuration : configurations) {
        report.configurations.push_back(scripted_measurement(configuration));
        for (double& sample : report.configurations.back().samples_seconds) sample *= factor;
      }
      report.vendor.name = "vendor 1.0";
      report.vendor.algorithm = "direct";
      report.vendor.samples_seconds = {1e-4, 2e-4, 3e-4};
      if (loaded) report.probe = {.compute = 1e-3, .memory = 1e-3};
      report.loaded = loaded;
      return report;
    };
  }
  return bench_->run(setup)->id;
}

/** The same session as a file would bring it, with other times and a confirmation of its own. */
store::SessionId SessionKernelLibraryTest::claim(store::SessionId measured, store::SessionKind kind,
                                                 double factor) {
  const store::SessionSummary session = *bench_->store.sessions().get(measured);
  store::SessionRecord record = session.record;
  record.kind = kind;
  record.origin = "AutoTVM log fast.log";
  const store::Owner owner = store::Owner::this_process();
  const store::SessionId id = *bench_->store.sessions().create(record, owner);
  std::vector<trial::Trial> trials = *bench_->store.trials().of(measured);
  for (trial::Trial& trial : trials)
    for (double& sample : trial.measurement.samples_seconds) sample *= factor;
  store::SessionStatus status = session.status;
  status.best_seconds *= factor;
  const std::vector<trial::Confirmation> confirmations{
      {status.best_trial, "2026-01-01T00:00:00Z", {status.best_seconds, status.best_seconds}}};
  if (!bench_->store.trials().append(id, trials, status) ||
      !bench_->store.confirmations().append(id, confirmations) ||
      !bench_->store.sessions().release(id, owner))
    qFatal("the store takes no session");
  return id;
}

void SessionKernelLibraryTest::isEmptyWithoutSessions() {
  QVERIFY(session::best_kernels(bench_->store)->kernels.empty());
}

void SessionKernelLibraryTest::agreesWithTheReportsOfRandomSessions() {
  base::Random random(testing::random_seed());
  const std::vector<const char*> tasks{"matmul 64x48 48x32 f32", "matmul 8x8 8x8 f32", "bmm 2x8x8 2x8x8 f32"};
  for (int session = 0; session < 24; ++session) {
    const char* task = tasks[static_cast<std::size_t>(random.below(tasks.size()))];
    run(setup_of(task, random.chance(0.5) ? "this" : "that", random.bits()), random.chance(0.6),
        random.uniform() + 0.5);
  }
  const auto expected = expected_kernels(bench_->store);
  const auto library = session::best_kernels(bench_->store);
  QVERIFY(library);
  QVERIFY(library->unreadable.empty());
  const std::vector<session::LibraryKernel>* kernels = &library->kernels;
  QCOMPARE(kernels->size(), expected.size());
  for (const session::LibraryKernel& kernel : *kernels) {
    const session::Report& report = expected.at({kernel.task.text, kernel.target_json});
    QCOMPARE(kernel.session, report.session.record.id);
    QCOMPARE(kernel.trial, *report.best_trial);
    QCOMPARE(kernel.confirmed, report.best_confirmed);
    QVERIFY(kernel.value == report.best);
    QCOMPARE(kernel.configuration_text, report.space->describe(report.best_configuration));
    QCOMPARE(kernel.share_of_vendor.has_value(), report.compared.vendor.share > 0);
    QCOMPARE(kernel.mark, exchange::result_mark(report.session.record, report.result));
    if (kernel.share_of_vendor)
      QCOMPARE(*kernel.share_of_vendor, report.compared.vendor_seconds.median / report.best.seconds);
  }
  QVERIFY(std::ranges::is_sorted(*kernels, {},
                                 [](const session::LibraryKernel& kernel) { return kernel.task.name; }));
}

void SessionKernelLibraryTest::confirmedBeforeFaster() {
  const store::SessionId confirmed = run(setup_of("matmul 8x8 8x8 f32", "this", 3), true, 100);
  run(setup_of("matmul 8x8 8x8 f32", "this", 4), false);
  const std::vector<session::LibraryKernel> all = session::best_kernels(bench_->store)->kernels;
  const auto* kernels = &all;
  QCOMPARE(kernels->size(), std::size_t(1));
  QCOMPARE(kernels->front().session, confirmed);
  QVERIFY(kernels->front().confirmed);
}

void SessionKernelLibraryTest::confirmedUnderLoadCountsAsMeasured_data() {
  QTest::addColumn<double>("factor");
  QTest::addColumn<bool>("loaded_wins");
  QTest::newRow("faster") << 1e-4 << true;
  QTest::newRow("slower") << 1e4 << false;
}

void SessionKernelLibraryTest::confirmedUnderLoadCountsAsMeasured() {
  QFETCH(const double, factor);
  QFETCH(const bool, loaded_wins);
  const store::SessionId loaded = run(setup_of("matmul 8x8 8x8 f32", "this", 3), true, factor, true);
  QCOMPARE(session::make_session_report(bench_->store, loaded)->result.kind,
           analysis::BestKind::ConfirmedLoaded);
  const store::SessionId measured = run(setup_of("matmul 8x8 8x8 f32", "this", 4), false);
  const std::vector<session::LibraryKernel> kernels = session::best_kernels(bench_->store)->kernels;
  QCOMPARE(kernels.size(), std::size_t(1));
  QCOMPARE(kernels.front().session, loaded_wins ? loaded : measured);
}

void SessionKernelLibraryTest::saysWhereItComesFrom() {
  session::Setup setup = setup_of("matmul 8x8 8x8 f32", "this", 99);
  setup.name = "mine";
  const store::SessionId id = run(setup, true);
  const session::LibraryKernel kernel = session::best_kernels(bench_->store)->kernels.front();
  QCOMPARE(kernel.session, id);
  QCOMPARE(kernel.session_name, std::string("mine"));
  QCOMPARE(kernel.device, std::string("this"));
  QCOMPARE(kernel.tuner, std::string("random"));
  QCOMPARE(kernel.seed, std::uint64_t(99));
  QCOMPARE(kernel.template_name, std::string("test-template"));
  QCOMPARE(kernel.template_version, 1);
  QCOMPARE(kernel.vendor_name, std::string("vendor 1.0"));
  QCOMPARE(kernel.vendor_algorithm, std::string("direct"));
  QCOMPARE(kernel.created_utc, bench_->store.sessions().get(id)->record.created_utc);
}

void SessionKernelLibraryTest::aConfirmationOlderThanABetterTrialDoesNotCount() {
  const store::SessionId id = run(setup_of("matmul 8x8 8x8 f32", "this", 5), true);
  store::SessionStatus status = bench_->store.sessions().get(id)->status;
  trial::Trial better;
  better.number = status.trial_count;
  better.batch = 3;
  better.configuration = make_space().at(1);
  better.measurement.samples_seconds = {1e-9};
  ++status.trial_count;
  status.best_trial = better.number;
  status.best_seconds = 1e-9;
  const Status claimed = bench_->store.sessions().claim(id, store::Owner::this_process());
  QVERIFY(claimed);
  const Status appended = bench_->store.trials().append(id, {&better, 1}, status);
  QVERIFY2(appended, appended ? "" : describe(appended.error()).c_str());
  const std::vector<session::LibraryKernel> all = session::best_kernels(bench_->store)->kernels;
  const auto* kernels = &all;
  QCOMPARE(kernels->size(), std::size_t(1));
  QVERIFY(!kernels->front().confirmed);
  QCOMPARE(kernels->front().trial, better.number);
}

void SessionKernelLibraryTest::trashedAndInvalidSessionsAreLeftOut() {
  const store::SessionId id = run(setup_of("matmul 8x8 8x8 f32", "this", 6), true);
  MeasurementScript script = make_script();
  script.measure = [](const space::Configuration&) {
    trial::Measurement measurement;
    measurement.category = trial::ErrorCategory::CompileHost;
    return measurement;
  };
  Bench failing(folder_->filePath("test.db").toStdString(), script);
  QVERIFY(failing.run(setup_of("bmm 2x8x8 2x8x8 f32", "this", 7)));
  QCOMPARE(session::best_kernels(bench_->store)->kernels.size(), std::size_t(1));
  QVERIFY(bench_->store.sessions().trash(id));
  QVERIFY(session::best_kernels(bench_->store)->kernels.empty());
}

void SessionKernelLibraryTest::unreadableSessionsHideNobody_data() {
  QTest::addColumn<QString>("sql");
  QTest::addColumn<QString>("part");
  QTest::newRow("budget") << R"(UPDATE session SET budget_json = '{"trials": -1}' WHERE id = %1)" << "budget";
  QTest::newRow("task") << "UPDATE session SET task_json = '{', checksum = NULL WHERE id = %1" << "task";
  QTest::newRow("space") << "INSERT INTO space (fingerprint, text) VALUES (7, '{'); "
                            "UPDATE session SET space = last_insert_rowid() WHERE id = %1"
                         << "space";
  QTest::newRow("trials") << "UPDATE trial SET configuration = x'01000000' WHERE session = %1"
                          << "best trial";
  QTest::newRow("no trials") << "DELETE FROM trial WHERE session = %1" << "best trial";
}

void SessionKernelLibraryTest::unreadableSessionsHideNobody() {
  QFETCH(QString, sql);
  QFETCH(QString, part);
  const store::SessionId other = run(setup_of("matmul 8x8 8x8 f32", "this", 3), false);
  const store::SessionId bad = run(setup_of("matmul 8x8 8x8 f32", "this", 4), true);
  QCOMPARE(session::best_kernels(bench_->store)->kernels.front().session, bad);
  sqlite3* database = nullptr;
  QCOMPARE(sqlite3_open(bench_->store.path().c_str(), &database), SQLITE_OK);
  const std::string statements = sql.arg(bad).toStdString();
  QCOMPARE(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);

  const session::LibraryKernels library = *session::best_kernels(bench_->store);
  QCOMPARE(library.kernels.size(), std::size_t(1));
  QCOMPARE(library.kernels.front().session, other);
  QCOMPARE(library.unreadable.size(), std::size_t(1));
  QCOMPARE(library.unreadable.front().session, bad);
  const std::string said = session::left_out_text(library.unreadable.front());
  QVERIFY2(said.contains("session " + std::to_string(bad)), said.c_str());
  QVERIFY(!library.unreadable.front().reason.empty());
  QVERIFY(session::best_kernels(bench_->store, {bad})->unreadable.empty());

  const session::Report report = *session::make_session_report(bench_->store, bad);
  const auto about = [&](const std::string& problem) {
    return problem.starts_with(part.toStdString() + ": ");
  };
  QVERIFY(std::ranges::any_of(report.problems, about));
  QCOMPARE(report.session.status.trial_count, std::int64_t(12));
  QVERIFY(session::make_session_report(bench_->store, other)->problems.empty());
}

/** A file's confirmed times don't push out what was measured, be it unconfirmed; they are named beside it. */
void SessionKernelLibraryTest::whatWasMeasuredHereComesFirst() {
  const store::SessionId own = run(setup_of("matmul 8x8 8x8 f32", "this", 8), false);
  const auto only = [&] {
    const auto library = session::best_kernels(bench_->store);
    return library && library->kernels.size() == 1 ? library->kernels.front() : session::LibraryKernel{};
  };
  claim(own, store::SessionKind::Imported, 2);
  QCOMPARE(only().session, own);
  QVERIFY(!only().claimed);  // a slower claim is no news
  claim(own, store::SessionKind::Imported, 0.5);
  const store::SessionId fastest = claim(own, store::SessionKind::Imported, 0.25);
  const session::LibraryKernel kernel = only();
  QCOMPARE(kernel.session, own);
  QVERIFY(kernel.measured_here());
  QVERIFY(kernel.claimed.has_value());
  QCOMPARE(kernel.claimed->session, fastest);
  QVERIFY(std::abs(kernel.claimed->times_faster - 4) < 1e-9);
  QVERIFY(kernel.claimed->origin.contains("AutoTVM log fast.log"));
  QVERIFY(kernel.claimed->origin.contains("not measured here"));
  QVERIFY(bench_->store.sessions().trash(fastest));
  QVERIFY(std::abs(only().claimed->times_faster - 2) < 1e-9);
}

void SessionKernelLibraryTest::whatFilesSayStandsAloneWhereNothingWasMeasured() {
  const store::SessionId own = run(setup_of("matmul 8x8 8x8 f32", "this", 9), true);
  const store::SessionId imported = claim(own, store::SessionKind::Imported, 1);
  QVERIFY(bench_->store.sessions().trash(own));
  const auto library = session::best_kernels(bench_->store);
  QCOMPARE(library->kernels.size(), std::size_t(1));
  const session::LibraryKernel& kernel = library->kernels.front();
  QCOMPARE(kernel.session, imported);
  QVERIFY(!kernel.measured_here() && !kernel.confirmed && !kernel.claimed);
  QCOMPARE(kernel.origin, std::string("imported from AutoTVM log fast.log, not measured here"));
  // The other views agree.
  QVERIFY(!session::make_session_report(bench_->store, imported)->best_confirmed);
}

KERNELSCAPE_PLAIN_TEST(SessionKernelLibraryTest)

}  // namespace kernelscape::session_kernel_library_test
#include "session_kernel_library_test.moc"
