#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <thread>

#include "tests/gui/gui_support.h"
#include "tests/gui/study_gui_support.h"
#include "tests/test_program.h"
#include "ui/workspace/study_runner.h"
#include "ui/workspace/study_watch.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::workspace_studies_test {
namespace {

constexpr int deadline_milliseconds = 60'000;

/** A runner that holds every session back until it is let go, or stopped. */
struct Gate {
  std::atomic<bool> open{false};
  std::atomic<int> waiting{0};

  session::Runner runner() {
    return [this](store::Store& store, const session::PreparedTuning& tuning,
                  std::optional<store::SessionId> resumed, session::Observer& observer,
                  const session::StopRequest& stop) {
      ++waiting;
      while (!open && stop.level() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return gui_tests::run_scripted(store, tuning, resumed, observer, stop);
    };
  }
};

}  // namespace

class WorkspaceStudiesTest : public QObject {
  Q_OBJECT

 private slots:
  void a_study_runs_to_its_end() {
    const gui_tests::Database database;
    workspace::StudyRunner runner(database.path(), gui_tests::run_scripted);
    QSignalSpy created(&runner, &workspace::StudyRunner::created);
    QSignalSpy ended(&runner, &workspace::StudyRunner::ended);
    const workspace::StudyRequestId request = runner.start(gui_tests::small_study());
    QVERIFY(!runner.idle());
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, deadline_milliseconds);
    QCOMPARE(created.count(), 1);
    QCOMPARE(created[0][0].toLongLong(), request);
    QCOMPARE(ended[0][1].toString(), QString());
    const store::Store store = *store::Store::open(database.path());
    const store::StudySummary study = *store.studies().get(created[0][1].toLongLong());
    QCOMPARE(study.done_runs, 8);
    QCOMPARE(study.record.run_count, 8);
    QVERIFY(!study.owner);
    QTRY_VERIFY(runner.idle());
  }

  void a_wrong_study_is_refused_and_nothing_is_stored() {
    const gui_tests::Database database;
    workspace::StudyRunner runner(database.path(), gui_tests::run_scripted);
    QSignalSpy refused(&runner, &workspace::StudyRunner::refused);
    study::Definition study = gui_tests::small_study();
    study.tasks[0].task = "resnet18/C99";
    runner.start(study);
    QTRY_COMPARE_WITH_TIMEOUT(refused.count(), 1, deadline_milliseconds);
    QVERIFY(refused[0][1].toString().contains(QStringLiteral("resnet18/C99")));
    runner.start_file("/nowhere/study.json");
    QTRY_COMPARE_WITH_TIMEOUT(refused.count(), 2, deadline_milliseconds);
    QVERIFY(refused[1][1].toString().contains(QStringLiteral("/nowhere/study.json")));
    QVERIFY(store::Store::open(database.path())->studies().all()->empty());
  }

  void a_stopped_study_resumes() {
    const gui_tests::Database database;
    Gate gate;
    workspace::StudyRunner runner(database.path(), gate.runner());
    QSignalSpy created(&runner, &workspace::StudyRunner::created);
    QSignalSpy ended(&runner, &workspace::StudyRunner::ended);
    runner.start(gui_tests::small_study());
    QTRY_VERIFY_WITH_TIMEOUT(gate.waiting > 0, deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(created.count(), 1, deadline_milliseconds);
    const store::StudyId study = created[0][1].toLongLong();
    QVERIFY(runner.has(study));
    runner.stop(study);
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, deadline_milliseconds);
    const store::Store store = *store::Store::open(database.path());
    QVERIFY(store.studies().get(study)->done_runs < 8);
    gate.open = true;
    runner.resume(study);
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 2, deadline_milliseconds);
    QCOMPARE(store.studies().get(study)->done_runs, 8);
  }

  void studies_wait_for_each_other_and_can_be_taken_out() {
    const gui_tests::Database database;
    Gate gate;
    workspace::StudyRunner runner(database.path(), gate.runner());
    store::Store store = *store::Store::open(database.path());
    const store::StudyId first = *study::create_study(store, gui_tests::small_study());
    const store::StudyId second = *study::create_study(store, gui_tests::small_study());
    runner.resume(first);
    QTRY_VERIFY_WITH_TIMEOUT(gate.waiting > 0, deadline_milliseconds);
    runner.resume(second);
    runner.resume(second);
    QVERIFY(runner.has(second));
    QCOMPARE(runner.active()->id, first);
    runner.stop(second);
    QVERIFY(!runner.has(second));
    QSignalSpy ended(&runner, &workspace::StudyRunner::ended);
    gate.open = true;
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, deadline_milliseconds);
    QTRY_VERIFY(runner.idle());
    QCOMPARE(store.studies().get(second)->done_runs, 0);
  }

  void it_can_be_closed_while_it_runs() {
    const gui_tests::Database database;
    Gate gate;
    store::StudyId study = 0;
    {
      workspace::StudyRunner runner(database.path(), gate.runner());
      store::Store store = *store::Store::open(database.path());
      study = *study::create_study(store, gui_tests::small_study());
      runner.resume(study);
      QTRY_VERIFY_WITH_TIMEOUT(gate.waiting > 0, deadline_milliseconds);
    }
    const store::StudySummary left = *store::Store::open(database.path())->studies().get(study);
    QVERIFY(!left.owner);
    QVERIFY(left.done_runs < 8);
  }

  void the_watch_tells_what_changed_and_nothing_twice() {
    const gui_tests::Database database;
    const store::StudyId study = gui_tests::add_study(database.path(), gui_tests::small_study());
    workspace::StudyWatch watch(database.path());
    QSignalSpy studies(&watch, &workspace::StudyWatch::studies_changed);
    QSignalSpy snapshots(&watch, &workspace::StudyWatch::snapshot_changed);
    workspace::CompareSource source;
    source.study = study;
    watch.watch(source);
    QCOMPARE(studies.count(), 0);
    watch.set_active(true);
    QTRY_COMPARE_WITH_TIMEOUT(snapshots.count(), 1, deadline_milliseconds);
    QCOMPARE(studies.count(), 1);
    const auto snapshot = snapshots[0][0].value<workspace::StudySnapshotPointer>();
    QVERIFY(snapshot->source == source);
    QCOMPARE(snapshot->baseline, std::size_t{1});
    QCOMPARE(snapshot->runs->runs.size(), std::size_t{8});
    QCOMPARE(snapshot->runs->arms[0].name, std::string("random"));
    // Two more looks find the same; a new study is one more list, and no new snapshot.
    watch.refresh();
    watch.refresh();
    store::Store store = *store::Store::open(database.path());
    QVERIFY(study::create_study(store, gui_tests::small_study()));
    watch.refresh();
    QTRY_COMPARE_WITH_TIMEOUT(studies.count(), 2, deadline_milliseconds);
    QCOMPARE(snapshots.count(), 1);
    QCOMPARE(studies[1][0].value<workspace::StudySummaries>()->size(), std::size_t{2});
  }

  void a_study_that_is_not_there_is_reported() {
    const gui_tests::Database database;
    workspace::StudyWatch watch(database.path());
    QSignalSpy failed(&watch, &workspace::StudyWatch::failed);
    workspace::CompareSource source;
    source.study = 77;
    watch.watch(source);
    watch.set_active(true);
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, deadline_milliseconds);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("77")));
  }
};

KERNELSCAPE_TEST(WorkspaceStudiesTest, QCoreApplication)

}  // namespace kernelscape::workspace_studies_test
#include "workspace_studies_test.moc"
