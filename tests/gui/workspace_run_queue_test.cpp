#include <QSignalSpy>
#include <QTest>
#include <atomic>

#include "core/analysis/filter/filter.h"
#include "core/session/kernels.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/session_watch.h"
#include "ui/workspace/trial_details.h"
#include "ui/workspace/trial_insight.h"

namespace kernelscape::workspace_run_queue_test {
namespace {

constexpr int deadline_milliseconds = 20'000;

session::TuningRequest small_request(std::int64_t trials) {
  session::TuningRequest request;
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

  session::Runner runner() {
    return [this](store::Store& store, const session::PreparedTuning& tuning,
                  std::optional<store::SessionId> resumed, session::Observer& observer,
                  const session::StopRequest& stop) {
      MeasurementScript script = gui_tests::make_script();
      script.measure = [this, &stop](const space::Configuration& configuration) {
        ++begun;
        while (!go && stop.level() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return gui_tests::scripted_measurement(configuration);
      };
      ScriptedMeasurer measurer(script);
      const session::Tools tools{measurer, observer, stop, [&] { return measurer.clock()->seconds; }, {}};
      session::Setup setup = tuning.setup;
      setup.real_measurements = false;
      setup.batch_size = 4;
      return resumed ? session::resume_session(store, *resumed, setup, tools)
                     : session::run_session(store, setup, tools);
    };
  }
};

workspace::RunState state_of(const workspace::RunQueue& queue, workspace::RunId id) {
  return queue.run(id)->state;
}

}  // namespace

class WorkspaceRunQueueTest : public QObject {
  Q_OBJECT

 private slots:
  void runs_go_one_after_the_other() {
    const gui_tests::Database database;
    Gate gate;
    workspace::RunQueue queue(database.path(), gate.runner());
    const workspace::RunId first = queue.start(small_request(20));
    const workspace::RunId second = queue.start(small_request(10));
    QTRY_VERIFY_WITH_TIMEOUT(gate.begun > 0, deadline_milliseconds);
    QCOMPARE(state_of(queue, first), workspace::RunState::Running);
    QCOMPARE(state_of(queue, second), workspace::RunState::Queued);
    QCOMPARE(queue.queued_count(), std::size_t{1});
    QVERIFY(!queue.idle());
    gate.go = true;
    QTRY_VERIFY_WITH_TIMEOUT(queue.idle(), deadline_milliseconds);
    QCOMPARE(state_of(queue, first), workspace::RunState::Done);
    QCOMPARE(state_of(queue, second), workspace::RunState::Done);
    QCOMPARE(queue.run(first)->status.trial_count, 20);
    QVERIFY(*queue.run(first)->session != *queue.run(second)->session);
  }

  void a_paused_run_is_kept_and_resumed_exactly() {
    const gui_tests::Database database;
    Gate gate;
    workspace::RunQueue queue(database.path(), gate.runner());
    const workspace::RunId run = queue.start(small_request(24));
    QTRY_VERIFY_WITH_TIMEOUT(gate.begun > 0, deadline_milliseconds);
    queue.pause(run);
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), workspace::RunState::Paused, deadline_milliseconds);
    const store::SessionId session = *queue.run(run)->session;
    const store::Store store = *store::Store::open(database.path());
    QCOMPARE(store.sessions().get(session)->status.state, store::SessionState::Interrupted);
    const std::int64_t kept = store.sessions().get(session)->status.trial_count;
    QVERIFY(kept < 24);

    gate.go = true;
    const workspace::RunId resumed = queue.resume(session);
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, resumed), workspace::RunState::Done, deadline_milliseconds);
    QCOMPARE(store.sessions().get(session)->status.trial_count, 24);
  }

  void a_queued_run_is_stopped_without_a_trace() {
    const gui_tests::Database database;
    Gate gate;
    workspace::RunQueue queue(database.path(), gate.runner());
    queue.start(small_request(8));
    const workspace::RunId second = queue.start(small_request(8));
    queue.stop(second);
    QCOMPARE(state_of(queue, second), workspace::RunState::Stopped);
    QVERIFY(!queue.run(second)->session);
    gate.go = true;
    QTRY_VERIFY_WITH_TIMEOUT(queue.idle(), deadline_milliseconds);
    QCOMPARE(store::Store::open(database.path())->sessions().all()->size(), std::size_t{1});
  }

  void a_wrong_request_fails_with_its_reason() {
    const gui_tests::Database database;
    workspace::RunQueue queue(database.path(), gui_tests::run_scripted);
    session::TuningRequest request = small_request(8);
    request.task = "resnet18/C99";
    const workspace::RunId run = queue.start(request);
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), workspace::RunState::Failed, deadline_milliseconds);
    QVERIFY(queue.run(run)->error->message.contains("resnet18/C99"));
  }

  void a_run_that_waits_for_its_device_says_so() {
    const gui_tests::Database database;
    std::atomic<bool> go{false};
    workspace::RunQueue queue(database.path(),
                              [&go](store::Store& store, const session::PreparedTuning& tuning,
                                    std::optional<store::SessionId> resumed, session::Observer& observer,
                                    const session::StopRequest& stop) {
                                observer.message({session::MessageKind::Machine, "waiting for better times"});
                                observer.message({session::MessageKind::Waiting, "another session has it"});
                                while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                return gui_tests::run_scripted(store, tuning, resumed, observer, stop);
                              });
    const workspace::RunId run = queue.start(small_request(8));
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), workspace::RunState::Waiting, deadline_milliseconds);
    QCOMPARE(queue.run(run)->messages.size(), std::size_t{2});
    go = true;
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), workspace::RunState::Done, deadline_milliseconds);
  }

  void an_engine_that_fails_is_reported() {
    const gui_tests::Database database;
    workspace::RunQueue queue(
        database.path(),
        [](store::Store&, const session::PreparedTuning&, std::optional<store::SessionId>, session::Observer&,
           const session::StopRequest&) -> Result<session::Outcome> {
          return fail(ErrorCode::Environment, "the disk is full", "free space");
        });
    const workspace::RunId run = queue.start(small_request(8));
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), workspace::RunState::Failed, deadline_milliseconds);
    QCOMPARE(queue.run(run)->error->message, std::string("the disk is full"));
  }

  void the_queue_can_be_closed_while_it_measures() {
    const gui_tests::Database database;
    Gate gate;
    {
      workspace::RunQueue queue(database.path(), gate.runner());
      queue.start(small_request(100));
      QTRY_VERIFY_WITH_TIMEOUT(gate.begun > 0, deadline_milliseconds);
    }
    const store::Store store = *store::Store::open(database.path());
    QCOMPARE(store.sessions().all()->front().status.state, store::SessionState::Interrupted);
  }

  void a_thousand_changes_are_few_signals() {
    const gui_tests::Database database;
    workspace::RunQueue queue(database.path(), gui_tests::run_scripted);
    QSignalSpy changes(&queue, &workspace::RunQueue::changed);
    const workspace::RunId run = queue.start(small_request(2000));
    QTRY_COMPARE_WITH_TIMEOUT(state_of(queue, run), workspace::RunState::Done, deadline_milliseconds);
    QVERIFY2(changes.count() < 2000, qPrintable(QString::number(changes.count())));
  }

  void the_workspace_reads_what_another_store_writes() {
    const gui_tests::Database database;
    const store::SessionId session = database.add_session(64);
    workspace::Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, session));
    const workspace::SourceData& source = *workspace.source();
    QCOMPARE(source.trials.size(), 64);
    QCOMPARE(source.improvements, analysis::best_so_far(source.trials));
    QCOMPARE(source.errors.all().trials, 64);
    QCOMPARE(source.headline.row, analysis::best_row(source.trials));
    QVERIFY(!source.headline.confirmed());
    QVERIFY(source.represents_space());
    QTRY_COMPARE_WITH_TIMEOUT(workspace.sessions()->size(), std::size_t{1}, deadline_milliseconds);

    QVERIFY(workspace.write(
        [&](store::Store& store) { return store.sessions().set_note(session, "the good one"); }));
    QTRY_COMPARE_WITH_TIMEOUT(workspace.sessions()->front().summary.annotation.note,
                              std::string("the good one"), deadline_milliseconds);
  }

  void filters_hold_together_and_a_wrong_one_changes_nothing() {
    const gui_tests::Database database;
    workspace::Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, database.add_session(200)));
    QVERIFY(workspace.set_filters({QStringLiteral("valid"), QStringLiteral("trial < 100")}));
    std::vector<std::int64_t> expected;
    for (std::int64_t row = 0; row < workspace.source()->trials.size(); ++row) {
      const trial::Row trial = workspace.source()->trials.row(row);
      if (trial.category == trial::ErrorCategory::NoError && trial.number < 100) expected.push_back(row);
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
    workspace::Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, database.add_session(30)));
    const workspace::Source source = workspace.source();
    const Result<workspace::TrialDetails> details =
        workspace::load_trial_details(workspace.database(), source, source->headline.row);
    QVERIFY(details);
    QCOMPARE(details->trial.number, source->headline.trial);
    QVERIFY2(details->source_text.contains("void "), details->source_problem.c_str());
    const Result<codegen::KernelSource> kernel = details->family->source(details->trial.configuration);
    QVERIFY(kernel);
    QCOMPARE(kernel->text, details->source_text);
    const Result<workspace::TrialInsight> insight =
        workspace::trial_insight(workspace.database(), *source, details->trial);
    QVERIFY2(insight, insight ? "" : insight.error().message.c_str());
    QCOMPARE(insight->kernel.source.text, details->source_text);
    QVERIFY(!insight->kernel.code.lines.empty());
  }

  /** A session can come from a file: what it names as its compiler is not run. */
  void instructions_are_made_by_this_machines_compiler() {
    const gui_tests::Database database;
    workspace::Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, database.add_session(10)));
    const QTemporaryDir folder;
    const QString marker = folder.filePath("ran");
    const std::string touch = "touch " + marker.toStdString();
    workspace::SourceData changed = *workspace.source();
    workspace::SourceOrigin origin = *changed.origin;
    origin.target->compiler = touch;
    origin.target->flags = {"-O2", "-wrapper", "sh,-c," + touch, "-B."};
    origin.record.target_json = schedule::target_to_json(*origin.target);
    changed.origin = std::make_shared<const workspace::SourceOrigin>(std::move(origin));
    const trial::Row best = changed.trials.row(changed.headline.row);
    const Result<workspace::TrialDetails> details =
        workspace::load_trial_details(workspace.database(), workspace.source(), changed.headline.row);
    QVERIFY(details && details->trial.number == best.number);
    const Result<store::Store> store = store::Store::open(workspace.database(), store::OpenMode::ReadOnly);
    QVERIFY(store);
    const auto family = session::family_of_session(*store, changed.record());
    QVERIFY(family);
    const Result<codegen::KernelSource> kernel = (*family)->source(details->trial.configuration);
    QVERIFY(kernel);
    QCOMPARE(kernel->flags.words(), std::vector<std::string>{"-O2"});
    const Result<workspace::TrialInsight> insight =
        workspace::trial_insight(workspace.database(), changed, details->trial);
    QVERIFY2(insight, insight ? "" : insight.error().message.c_str());
    QVERIFY(!insight->kernel.code.lines.empty());
    QVERIFY(!insight->kernel.notes.empty());  // other flags than those that were measured
    QVERIFY(!QFile::exists(marker));
  }

  void a_database_that_disappears_is_reported_once_and_recovers() {
    const gui_tests::Database database;
    const store::SessionId session = database.add_session(8);
    workspace::Workspace workspace(database.path(), gui_tests::run_scripted);
    QVERIFY(gui_tests::open_and_wait(workspace, session));
    store::Store store = *store::Store::open(database.path());
    QVERIFY(store.sessions().remove(session));
    workspace.watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(workspace.sessions()->empty(), deadline_milliseconds);
    QVERIFY(workspace.source() != nullptr);  // what was read stays in sight
  }
};

KERNELSCAPE_TEST(WorkspaceRunQueueTest, QCoreApplication)

}  // namespace kernelscape::workspace_run_queue_test
#include "workspace_run_queue_test.moc"
