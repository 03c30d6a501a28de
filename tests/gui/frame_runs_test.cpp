#include <QLabel>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "tests/gui/frame_gui_support.h"
#include "tests/gui/study_gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/menus.h"
#include "ui/frame/notices/interruption_bar.h"
#include "ui/frame/status_line.h"
#include "ui/models/session_text.h"
#include "ui/views/view.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/study_runner.h"

namespace kernelscape::frame_runs_test {

/** Runs and studies in the window, also when it is closed under them. */
class FrameRunsTest : public QObject {
  Q_OBJECT

 private slots:
  void closingAsksOnlyWhileSomethingRuns();
  void pausingKeepsWhatWasMeasured();
  void aStoppedRunIsStoppedAlsoAfterARestart();
  void stoppingIsNotTurnedIntoAPause();
  void storedReasonsAreToldApart();
  void aSignalPausesWithoutAsking();
  void deadOwnersAreOfferedOnce();
  void theRunMenuBeginsWithANewRun();
  void theStatusLineFollowsAStudy();
  void closingAsksWhileAStudyRuns();
};

namespace {

using gui_tests::button;
using gui_tests::Desk;
using gui_tests::Gate;
constexpr int deadline_milliseconds = gui_tests::frame_deadline_milliseconds;

}  // namespace

void FrameRunsTest::closingAsksOnlyWhileSomethingRuns() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  const workspace::RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, workspace::RunState::Running));
  desk.window->close();
  QVERIFY(desk.window->isVisible());
  QMessageBox* question = desk.window->guard().question();
  QVERIFY(question != nullptr);
  QCOMPARE(question->windowModality() != Qt::ApplicationModal, true);
  question->button(QMessageBox::Cancel)->click();
  QTRY_VERIFY(desk.window->guard().question() == nullptr);
  QCOMPARE(desk.workspace.queue().run(run)->state, workspace::RunState::Running);
  gate.open = true;
  QVERIFY(desk.wait_for_state(run, workspace::RunState::Done));
  QVERIFY(QTest::qWaitFor([&] { return desk.workspace.queue().idle(); }, deadline_milliseconds));
  QCOMPARE(left.size(), 0);
  desk.window->close();
  QCOMPARE(desk.window->guard().question(), nullptr);
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QVERIFY(!desk.window->isVisible());
}

void FrameRunsTest::pausingKeepsWhatWasMeasured() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  const workspace::RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, workspace::RunState::Running));
  desk.start(10);
  desk.window->close();
  button(*desk.window->guard().question(), QStringLiteral("Pause and quit"))->click();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QCOMPARE(desk.workspace.queue().run(run)->state, workspace::RunState::Paused);
  const auto session =
      store::Store::open(database.path())->sessions().get(*desk.workspace.queue().run(run)->session);
  QCOMPARE(session->status.state, store::SessionState::Interrupted);
  QVERIFY(!session->owner);
  // The next window offers to go on, once, in the word that its lists have for it.
  {
    frame::MainWindow next(desk.workspace, desk.preferences);
    next.show();
    auto* bar = next.findChild<frame::InterruptionBar*>();
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), deadline_milliseconds);
    QVERIFY2(bar->text().contains(QStringLiteral("was paused")), qPrintable(bar->text()));
    QVERIFY(desk.preferences.get().paused_sessions.isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(!desk.workspace.sessions()->empty(), deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(models::session_state_text(desk.workspace.sessions()->front()),
                              QStringLiteral("paused"), deadline_milliseconds);
    emit bar->dismissed();
    QVERIFY(!bar->isVisible());
  }
  frame::MainWindow last(desk.workspace, desk.preferences);
  last.show();
  QVERIFY(!last.findChild<frame::InterruptionBar*>()->isVisible());
}

void FrameRunsTest::aStoppedRunIsStoppedAlsoAfterARestart() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  workspace::RunQueue& queue = desk.workspace.queue();
  const workspace::RunId paused = desk.start(40);
  QVERIFY(desk.wait_for_state(paused, workspace::RunState::Running));
  queue.pause(paused);
  QVERIFY(desk.wait_for_state(paused, workspace::RunState::Paused));
  const auto state = [&] {
    const auto& sessions = *desk.workspace.sessions();
    return sessions.empty() ? QString() : models::session_state_text(sessions.front());
  };
  QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("paused"), deadline_milliseconds);
  const workspace::RunId stopped = queue.resume(*queue.run(paused)->session);
  QVERIFY(desk.wait_for_state(stopped, workspace::RunState::Running));
  queue.stop(stopped);
  QVERIFY(desk.wait_for_state(stopped, workspace::RunState::Stopped));
  QCOMPARE(models::run_state_text(*queue.run(stopped)), QStringLiteral("stopped"));
  QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("stopped"), deadline_milliseconds);
  const store::SessionSummary& session = desk.workspace.sessions()->front().summary;
  QCOMPARE(models::session_state_and_reason(session.status, session.owner),
           QStringLiteral("stopped by the user, can be resumed"));

  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QVERIFY(desk.preferences.get().paused_sessions.isEmpty());
  Desk next(database);
  QVERIFY(next.wait_for_list());
  QCOMPARE(models::session_state_text(next.workspace.sessions()->front()), QStringLiteral("stopped"));
  QVERIFY(!next.part<frame::InterruptionBar>().isVisible());
}

void FrameRunsTest::stoppingIsNotTurnedIntoAPause() {
  const gui_tests::Database database;
  std::atomic<bool> stopping{false};
  // Ends only after the test has also asked for a pause.
  std::atomic<bool> end{false};
  const session::Runner runner = [&](store::Store& store, const session::PreparedTuning& tuning,
                                     std::optional<store::SessionId> resumed, session::Observer& observer,
                                     const session::StopRequest& stop) {
    while (stop.level() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stopping = true;
    while (!end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return gui_tests::run_scripted(store, tuning, resumed, observer, stop);
  };
  workspace::RunQueue queue(database.path(), runner);
  session::TuningRequest request;
  request.task = "matmul 64x64 64x64 f32";
  request.tuner = "random";
  const workspace::RunId run = queue.start(request);
  QTRY_COMPARE_WITH_TIMEOUT(queue.run(run)->state, workspace::RunState::Preparing, deadline_milliseconds);
  queue.stop(run);
  QTRY_VERIFY_WITH_TIMEOUT(stopping, deadline_milliseconds);
  queue.pause_all();
  QCOMPARE(queue.run(run)->state, workspace::RunState::Stopping);
  end = true;
  QTRY_COMPARE_WITH_TIMEOUT(queue.run(run)->state, workspace::RunState::Stopped, deadline_milliseconds);
  QTRY_VERIFY_WITH_TIMEOUT(queue.idle(), deadline_milliseconds);
  const store::Store store = *store::Store::open(database.path());
  const auto sessions = store.sessions().list();
  QCOMPARE(sessions->size(), std::size_t{1});
  QCOMPARE(sessions->front().status.state_reason, std::string("stopped by the user"));
}

void FrameRunsTest::storedReasonsAreToldApart() {
  const auto text = [](store::SessionState state, const std::string& reason) {
    store::SessionStatus status;
    status.state = state;
    status.state_reason = reason;
    return models::session_state_and_reason(status, std::nullopt);
  };
  using enum store::SessionState;
  // As earlier versions stored a stop and a pause alike, and a fault.
  QCOMPARE(text(Interrupted, "stopped by the user"), QStringLiteral("stopped by the user, can be resumed"));
  QCOMPARE(text(Interrupted, "paused by the user"), QStringLiteral("paused by the user, can be resumed"));
  QCOMPARE(text(Interrupted, "the disk is full"), QStringLiteral("paused: the disk is full"));
  QCOMPARE(text(Interrupted, ""), QStringLiteral("paused"));
  QCOMPARE(text(Done, "500 trials"), QStringLiteral("done: 500 trials"));
  QCOMPARE(text(Failed, "the tuner failed"), QStringLiteral("failed: the tuner failed"));
}

void FrameRunsTest::aSignalPausesWithoutAsking() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  const workspace::RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, workspace::RunState::Running));
  // Even while the question stands.
  desk.window->close();
  desk.window->leave_pausing();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QCOMPARE(desk.workspace.queue().run(run)->state, workspace::RunState::Paused);
}

void FrameRunsTest::deadOwnersAreOfferedOnce() {
  const gui_tests::Database database;
  const store::SessionId id = database.add_session(6);
  {
    store::Store store = *store::Store::open(database.path());
    store::SessionStatus status = store.sessions().get(id)->status;
    store::Owner dead = store::Owner::this_process();
    dead.process_start += 1;
    QVERIFY(store.sessions().claim(id, dead));
    status.state = store::SessionState::Running;
    QVERIFY(store.sessions().update_status(id, status));
  }
  Desk desk(database);
  auto& bar = desk.part<frame::InterruptionBar>();
  QTRY_VERIFY_WITH_TIMEOUT(bar.isVisible(), deadline_milliseconds);
  QVERIFY(bar.text().contains(QStringLiteral("interrupted")));
  emit bar.dismissed();
  QVERIFY(!bar.isVisible());
  QVERIFY(!store::Store::open(database.path())->sessions().get(id)->owner);
  Desk again(database);
  QVERIFY(again.wait_for_list());
  QVERIFY(!again.part<frame::InterruptionBar>().isVisible());
}

void FrameRunsTest::theRunMenuBeginsWithANewRun() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  const QList<QAction*> listed = desk.part<frame::Menus>().actions_of(QStringLiteral("Run"));
  QCOMPARE(listed.front(), desk.window->actions().find(QStringLiteral("run.new")));
  const QAction* stop_all = desk.window->actions().find(QStringLiteral("queue.stop-all"));
  QVERIFY(listed.indexOf(stop_all) > 0);
  QVERIFY(!stop_all->isEnabled());
  const workspace::RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, workspace::RunState::Running));
  QTRY_VERIFY_WITH_TIMEOUT(stop_all->isEnabled(), deadline_milliseconds);
  gate.open = true;
  QVERIFY(desk.wait_for_state(run, workspace::RunState::Done));
  QTRY_VERIFY_WITH_TIMEOUT(!stop_all->isEnabled(), deadline_milliseconds);
}

void FrameRunsTest::theStatusLineFollowsAStudy() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  const auto texts = [&] {
    QStringList shown;
    for (const QLabel* label : desk.part<frame::StatusLine>().findChildren<QLabel*>())
      if (!label->isHidden()) shown.append(label->text());
    return shown.join(QLatin1Char(' '));
  };
  desk.workspace.study_runner().start(gui_tests::small_study());
  QTRY_VERIFY2_WITH_TIMEOUT(texts().contains(QStringLiteral("0/8 runs")), qPrintable(texts()),
                            deadline_milliseconds);
  auto* title = desk.part<frame::StatusLine>().findChild<QToolButton*>();
  QVERIFY(title->text().startsWith(QStringLiteral("study ")));
  QTest::mouseClick(title, Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(desk.window->current_view()->name(), QStringLiteral("Compare"),
                            deadline_milliseconds);
  gate.open = true;
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.study_runner().idle(), deadline_milliseconds);
  QTRY_VERIFY_WITH_TIMEOUT(!texts().contains(QStringLiteral("runs")), deadline_milliseconds);
}

void FrameRunsTest::closingAsksWhileAStudyRuns() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  desk.workspace.study_runner().start(gui_tests::small_study());
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.study_runner().active(), deadline_milliseconds);
  desk.window->actions().find(QStringLiteral("quit.quit"))->trigger();
  QMessageBox* question = desk.window->guard().question();
  QVERIFY(question != nullptr);
  QVERIFY2(question->text().contains(QStringLiteral("study")), qPrintable(question->text()));
  QVERIFY(desk.window->isVisible());
  button(*question, QStringLiteral("Pause and quit"))->click();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QVERIFY(desk.workspace.study_runner().idle());
}

KERNELSCAPE_TEST(FrameRunsTest, QApplication)

}  // namespace kernelscape::frame_runs_test
#include "frame_runs_test.moc"
