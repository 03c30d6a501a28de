#include <QSignalSpy>
#include <QTest>
#include <atomic>

#include "core/analysis/filter/filter.h"
#include "core/session/session_kernels.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/session_watch.h"
#include "ui/workspace/trial_details.h"
#include "ui/workspace/trial_insight.h"

namespace kernelscape::workspace_run_queue_test {
namespace {

constexpr int deadline_milliseconds = 20'000;

TuningRequest small_request(std::int64_t trials) {
  TuningRequest request;
  request.task = "matmul 64x64 64x64 f32";
  request.tuner = "random";
  request.seed = 3;
  request.budget.trials = trials;
  return request;
}

/** Measures nothing until `go` is set, so that a test can look at a run while it runs. */
struct Gate {
  std::atomic<bool> go{false};
  std::atomic<int> begun{0};

  SessionRunner runner() {
    return [this](Store& store, const PreparedTuning& tuning, std::optional<SessionId> resumed,
                  SessionObserver& observer, const StopRequest& stop) {
      MeasurementScript script = gui_tests::make_script();
      script.measure = [this, &stop](const Configuration& configuration) {
        ++begun;
        while (!go && stop.level() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return gui_tests::scripted_measurement(configuration);
      };
      ScriptedMeasurer measurer(script);
      const SessionTools tools{measurer, observer, stop, [&] { return measurer.clock()->seconds; }, {}};
      SessionSetup setup = tuning.setup;
      setup.real_measurements = false;
      setup.batch_size = 4;
      return resumed ? resume_session(store, *resumed, setup, tools) : run_session(store, setup, tools);
    };
  }
};

RunState state_of(const RunQueue& queue, RunId id) { return queue.run(id)->state; }

}  // namespace

class WorkspaceRunQueueTest : public QObject {
  Q_OBJECT

 private slots:
  void runs_go_one_after_the_other() {
    const gui_tests::Database database;
    Gate gate;
    RunQueue queue(database.path(), gate.runner());
    const RunId first = queue.start(small_request(20));
    const RunId second = queue.start(small_request(10));
    QTRY_VERIFY_WITH_TIMEOUT(gate.begun > 0, deadline_milliseconds);
    QCOMPARE(state_of(queue, first), RunState::Running);
    QCOMPARE(state_of(queue, second), RunState::Queued);
    QCOMPARE(queue.queued_count(), std::size_t{1});
    QVERIFY(!queue.idle());
    gate.go = true;
    QTRY_VERIFY_WITH_TIMEOUT(queue.idle(), deadline_milliseconds);
    QCOMPARE(state_of(queue, first), RunState::Done);
    QCOMPARE(state_of(queue, second), RunState::Done);
    QCOMPARE(queue.run(first)->status.trial_count, 20);
    QVERIFY(*queue.run(first)->session != *queue.run(second)->session);
  }

  void a_paused_run_is_kept_and_resumed_exactly() {
    const gui_tests::Database database;
    Gate gate;
    RunQueue queue(database.path(), gate.runner());
    const RunId run = queue.start(small_request(24));
    QTRY_VERIFY_WITH_TIMEOUT(gate.begun > 0, deadline_milliseconds);
    queue.pause(run);
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), RunState::Paused, deadline_milliseconds);
    const SessionId session = *queue.run(run)->session;
    const Store store = *Store::open(database.path());
    QCOMPARE(store.session(session)->status.state, SessionState::Interrupted);
    const std::int64_t kept = store.session(session)->status.trial_count;
    QVERIFY(kept < 24);

    gate.go = true;
    const RunId resumed = queue.resume(session);
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, resumed), RunState::Done, deadline_milliseconds);
    QCOMPARE(store.session(session)->status.trial_count, 24);
  }

  void a_queued_run_is_stopped_without_a_trace() {
    const gui_tests::Database database;
    Gate gate;
    RunQueue queue(database.path(), gate.runner());
    queue.start(small_request(8));
    const RunId second = queue.start(small_request(8));
    queue.stop(second);
    QCOMPARE(state_of(queue, second), RunState::Stopped);
    QVERIFY(!queue.run(second)->session);
    gate.go = true;
    QTRY_VERIFY_WITH_TIMEOUT(queue.idle(), deadline_milliseconds);
    QCOMPARE(Store::open(database.path())->sessions()->size(), std::size_t{1});
  }

  void a_wrong_request_fails_with_its_reason() {
    const gui_tests::Database database;
    RunQueue queue(database.path(), gui_tests::run_scripted);
    TuningRequest request = small_request(8);
    request.task = "resnet18/C99";
    const RunId run = queue.start(request);
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), RunState::Failed, deadline_milliseconds);
    QVERIFY(queue.run(run)->error->message.contains("resnet18/C99"));
  }

  void a_run_that_waits_for_its_device_says_so() {
    const gui_tests::Database database;
    std::atomic<bool> go{false};
    RunQueue queue(database.path(),
                   [&go](Store& store, const PreparedTuning& tuning, std::optional<SessionId> resumed,
                         SessionObserver& observer, const StopRequest& stop) {
                     observer.message({MessageKind::Machine, "waiting for better times"});
                     observer.message({MessageKind::Waiting, "another session has it"});
                     while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                     return gui_tests::run_scripted(store, tuning, resumed, observer, stop);
                   });
    const RunId run = queue.start(small_request(8));
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), RunState::Waiting, deadline_milliseconds);
    QCOMPARE(queue.run(run)->messages.size(), std::size_t{2});
    go = true;
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), RunState::Done, deadline_milliseconds);
  }

  void an_engine_that_fails_is_reported() {
    const gui_tests::Database database;
    RunQueue queue(database.path(),
                   [](Store&, const PreparedTuning&, std::optional<SessionId>, SessionObserver&,
                      const StopRequest&) -> Result<SessionOutcome> {
                     return fail(ErrorCode::Environment, "the disk is full", "free space");
                   });
    const RunId run = queue.start(small_request(8));
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), RunState::Failed, deadline_milliseconds);
    QCOMPARE(queue.run(run)->error->message, std::string("the disk is full"));
  }

  void the_queue_can_be_closed_while_it_measures() {
    const gui_tests::Database database;
    Gate gate;
    {
      RunQueue queue(database.path(), gate.runner());
      queue.start(small_request(100));
      QTRY_VERIFY_WITH_TIMEOUT(gate.begun > 0, deadline_milliseconds);
    }
    const Store store = *Store::open(database.path());
    QCOMPARE(store.sessions()->front().status.state, SessionState::Interrupted);
  }

  void a_thousand_changes_are_few_signals() {
    const gui_tests::Database database;
    RunQueue queue(database.path(), gui_tests::run_scripted);
    QSignalSpy changes(&queue, &RunQueue::changed);
    const RunId run = queue.start(small_request(2000));
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), RunState::Done, deadline_milliseconds);
    QVERIFY2(changes.count() < 2000, qPrintable(QString::number(changes.count())));
  }

  void the_workspace_reads_what_another_store_writes() {
    const gui_tests::Database database;
    const SessionId session = database.add_session(64);
    Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, session));
    const SourceData& source = *workspace.source();
    QCOMPARE(source.trials.size(), 64);
    QCOMPARE(source.improvements, best_so_far(source.trials));
    QCOMPARE(source.errors.all().trials, 64);
    QCOMPARE(source.headline.row, best_row(source.trials));
    QVERIFY(!source.headline.confirmed);
    QVERIFY(source.represents_space());
    QTRY_COMPARE_WITH_TIMEOUT(workspace.sessions()->size(), std::size_t{1}, deadline_milliseconds);

    QVERIFY(workspace.write([&](Store& store) { return store.set_note(session, "the good one"); }));
    QTRY_COMPARE_WITH_TIMEOUT(workspace.sessions()->front().summary.annotation.note,
                              std::string("the good one"), deadline_milliseconds);
  }

  void filters_hold_together_and_a_wrong_one_changes_nothing() {
    const gui_tests::Database database;
    Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, database.add_session(200)));
    QVERIFY(workspace.set_filters({QStringLiteral("valid"), QStringLiteral("trial < 100")}));
    std::vector<std::int64_t> expected;
    for (std::int64_t row = 0; row < workspace.source()->trials.size(); ++row) {
      const TrialRow trial = workspace.source()->trials.row(row);
      if (trial.category == ErrorCategory::NoError && trial.number < 100) expected.push_back(row);
    }
    QCOMPARE(workspace.shown_rows(), expected);
    QVERIFY(!workspace.add_filter(QStringLiteral("tile_zz = 3")));
    QCOMPARE(workspace.filters().size(), 2);
    QCOMPARE(workspace.shown_rows(), expected);
    QVERIFY(workspace.set_filters({}));
    QVERIFY(!workspace.filtered());
  }

  void a_trial_has_its_source_again() {
    const gui_tests::Database database;
    Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, database.add_session(30)));
    const Source source = workspace.source();
    const Result<TrialDetails> details =
        load_trial_details(workspace.database(), source, source->headline.row);
    QVERIFY(details);
    QCOMPARE(details->trial.number, source->headline.trial);
    QVERIFY2(details->source_text.contains("void "), details->source_problem.c_str());
    const Result<KernelSource> kernel = details->family->source(details->trial.configuration);
    QVERIFY(kernel);
    QCOMPARE(kernel->text, details->source_text);
    const Result<TrialInsight> insight = trial_insight(workspace.database(), *source, details->trial);
    QVERIFY2(insight, insight ? "" : insight.error().message.c_str());
    QCOMPARE(insight->kernel.source.text, details->source_text);
    QVERIFY(!insight->kernel.code.lines.empty());
  }

  /** A session can come from a file: what it names as its compiler is not run. */
  void instructions_are_made_by_this_machines_compiler() {
    const gui_tests::Database database;
    Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, database.add_session(10)));
    const QTemporaryDir folder;
    const QString marker = folder.filePath("ran");
    const std::string touch = "touch " + marker.toStdString();
    SourceData changed = *workspace.source();
    SourceOrigin origin = *changed.origin;
    origin.target->compiler = touch;
    origin.target->flags = {"-O2", "-wrapper", "sh,-c," + touch, "-B."};
    origin.record.target_json = target_to_json(*origin.target);
    changed.origin = std::make_shared<const SourceOrigin>(std::move(origin));
    const TrialRow best = changed.trials.row(changed.headline.row);
    const Result<TrialDetails> details =
        load_trial_details(workspace.database(), workspace.source(), changed.headline.row);
    QVERIFY(details && details->trial.number == best.number);
    const Result<Store> store = Store::open(workspace.database(), OpenMode::ReadOnly);
    QVERIFY(store);
    const auto family = family_of_session(*store, changed.record());
    QVERIFY(family);
    const Result<KernelSource> kernel = (*family)->source(details->trial.configuration);
    QVERIFY(kernel);
    QCOMPARE(kernel->flags.words(), std::vector<std::string>{"-O2"});
    const Result<TrialInsight> insight = trial_insight(workspace.database(), changed, details->trial);
    QVERIFY2(insight, insight ? "" : insight.error().message.c_str());
    QVERIFY(!insight->kernel.code.lines.empty());
    QVERIFY(!insight->kernel.notes.empty());  // other flags than those that were measured
    QVERIFY(!QFile::exists(marker));
  }

  void a_database_that_disappears_is_reported_once_and_recovers() {
    const gui_tests::Database database;
    const SessionId session = database.add_session(8);
    Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, session));
    Store store = *Store::open(database.path());
    QVERIFY(store.delete_session(session));
    workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(workspace.sessions()->empty(), deadline_milliseconds);
    QVERIFY(workspace.source() != nullptr);  // what was read stays in sight
  }
};

KERNELSCAPE_TEST(WorkspaceRunQueueTest, QCoreApplication)

}  // namespace kernelscape::workspace_run_queue_test
#include "workspace_run_queue_test.moc"
