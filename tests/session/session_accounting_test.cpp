#include <QTemporaryDir>
#include <QTest>

#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_accounting_test {
using namespace kernelscape::session_tests;

/** Where a session's wall time goes, on a clock that only the script moves. */
class SessionAccountingTest : public QObject {
  Q_OBJECT

 private slots:
  void sharesSumToTheSession();
  void pausesAndReplayAreNotCharged();
  void trialsCarryTheSessionTime();
  void busyTimesNeverExceedTheWallTime();
  void searchOfAKilledBatchIsKept();
};

namespace {

/** What builds and runs of these trials take on the virtual clock. */
std::pair<double, double> scripted_times(const std::vector<trial::Trial>& trials) {
  double build = 0;
  double run = 0;
  for (const trial::Trial& trial : trials) {
    build += trial.measurement.build_seconds;
    run += trial.measurement.run_seconds;
  }
  return {build, run};
}

bool close(double a, double b) { return std::fabs(a - b) < 1e-9; }

}  // namespace

void SessionAccountingTest::sharesSumToTheSession() {
  QTemporaryDir folder;
  Bench bench(folder.filePath("test.db").toStdString());
  // Half a second passes whenever a trial is told: nothing is busy then.
  bench.observer.on_trial = [&](const trial::Trial&) { bench.measurer.clock().seconds += 0.5; };
  const auto outcome = bench.run(make_setup("random", 1, 20, 8));
  QVERIFY(outcome);
  const auto [build, run] = scripted_times(*bench.store.trials().of(outcome->id));
  QVERIFY(close(outcome->status.build_seconds, build));
  QVERIFY(close(outcome->status.run_seconds, run));
  QVERIFY(close(outcome->status.search_seconds, 0));
  QVERIFY(close(outcome->status.session_seconds, build + run + 20 * 0.5));
  QVERIFY(bench.store.sessions().get(outcome->id)->status.session_seconds == outcome->status.session_seconds);
}

void SessionAccountingTest::pausesAndReplayAreNotCharged() {
  QTemporaryDir folder;
  Bench bench(folder.filePath("test.db").toStdString());
  bench.observer.on_trial = [&](const trial::Trial&) {
    if (bench.observer.trials.size() == 13) bench.stop.stop_at_once();
  };
  const session::Setup setup = make_setup("random", 1, 20, 8);
  const auto first = bench.run(setup);
  QVERIFY(first && first->interrupted);

  Bench second(folder.filePath("test.db").toStdString());
  second.measurer.clock().seconds = 86'400;
  second.observer.on_event = [&] {
    if (second.observer.phases == std::vector{session::Phase::Replaying})
      second.measurer.clock().seconds += 1000;
  };
  const auto whole = second.resume(first->id, setup);
  QVERIFY(whole);
  QCOMPARE(second.observer.phases.front(), session::Phase::Replaying);
  // What the aborted batch had built was session time; the rest of it is built again.
  const auto [build, run] = scripted_times(*second.store.trials().of(first->id));
  QVERIFY(close(whole->status.run_seconds, run));
  QVERIFY(close(whole->status.build_seconds, build + 3 * 0.5));
  QVERIFY(close(whole->status.session_seconds, build + 3 * 0.5 + run));
}

void SessionAccountingTest::trialsCarryTheSessionTime() {
  QTemporaryDir folder;
  Bench bench(folder.filePath("test.db").toStdString());
  bench.measurer.clock().seconds = 5000;
  const auto outcome = bench.run(make_setup("random", 1, 20, 8));
  double before = 0;
  const std::vector<store::ArrivedRow> rows = *bench.store.trials().rows(outcome->id);
  for (const store::ArrivedRow& row : rows) {
    QVERIFY(row.finished_seconds >= before);
    before = row.finished_seconds;
  }
  QVERIFY(close(before, outcome->status.session_seconds));
}

void SessionAccountingTest::busyTimesNeverExceedTheWallTime() {
  double now = 10;
  session::Accounting accounting([&] { return now; }, {}, 0);
  accounting.start();
  accounting.begin_measuring();
  now += 3;
  accounting.charge({.run_seconds = 2, .build_seconds = 9});
  now += 1;
  accounting.charge({.run_seconds = 7, .build_seconds = 7});
  accounting.charge({.run_seconds = -1, .build_seconds = -1});
  store::SessionStatus status;
  accounting.write(status);
  QCOMPARE(status.session_seconds, 4.0);
  QCOMPARE(status.run_seconds, 3.0);
  QCOMPARE(status.build_seconds, 1.0);
}

void SessionAccountingTest::searchOfAKilledBatchIsKept() {
  store::SessionStatus stored;
  stored.session_seconds = 50;
  stored.search_seconds = 2;
  double now = 0;
  session::Accounting accounting([&] { return now; }, stored, 2.75);
  now = 100;
  accounting.start();
  accounting.search([&] { return now += 1; });
  store::SessionStatus status;
  accounting.write(status);
  QCOMPARE(status.search_seconds, 3.75);
  QCOMPARE(status.session_seconds, 51.75);
}

KERNELSCAPE_PLAIN_TEST(SessionAccountingTest)

}  // namespace kernelscape::session_accounting_test
#include "session_accounting_test.moc"
