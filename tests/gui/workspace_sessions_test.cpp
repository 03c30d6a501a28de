#include <QApplication>
#include <QTest>
#include <array>
#include <set>

#include "tests/gui/tune_gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/views/tune/live_charts.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::workspace_sessions_test {
namespace {

constexpr int patience_milliseconds = gui_tests::tune_deadline_milliseconds;

std::set<store::SessionId> read_pinned(const workspace::Workspace& workspace) {
  std::set<store::SessionId> ids;
  for (const workspace::Source& source : workspace.pinned_sources()) ids.insert(source->id());
  return ids;
}

}  // namespace

/** Sessions that are opened, closed and pinned in any order. */
class WorkspaceSessionsTest : public QObject {
  Q_OBJECT

 private slots:
  void a_pinned_session_opens_everywhere() {
    gui_tests::TuneWindow window;
    const store::SessionId open = window.database.add_session(20);
    const store::SessionId pinned = window.database.add_session(30);
    QVERIFY(gui_tests::open_and_wait(window.workspace, open));
    window.workspace.set_pinned({pinned});
    QTRY_COMPARE_WITH_TIMEOUT(read_pinned(window.workspace), (std::set{pinned}), patience_milliseconds);

    window.workspace.open_session(pinned);
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() != nullptr, patience_milliseconds);
    QCOMPARE(window.workspace.source()->id(), pinned);
    const auto* headline = window.view.findChild<views::HeadlineBar*>();
    QVERIFY2(!headline->accessibleName().contains("Reading"), qPrintable(headline->accessibleName()));
    QTRY_COMPARE_WITH_TIMEOUT(window.view.charts().progress().data().trials.size(), 30,
                              patience_milliseconds);
    auto* dialog = new views::ExportDialog(window.workspace, &window.view);
    dialog->choose(views::ExportKind::AllTrials);
    QCOMPARE(dialog->kind(), views::ExportKind::AllTrials);  // only an open session has trials
    // The session that was left is read again when it is opened.
    window.workspace.open_session(open);
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() && window.workspace.source()->id() == open,
                             patience_milliseconds);
  }

  void the_open_session_can_be_pinned_and_left() {
    const gui_tests::Database database;
    const store::SessionId first = database.add_session(20);
    const store::SessionId second = database.add_session(20);
    workspace::Workspace workspace(database.path());
    QVERIFY(gui_tests::open_and_wait(workspace, first));
    workspace.set_pinned({first});
    QCOMPARE(read_pinned(workspace), std::set{first});
    QVERIFY(gui_tests::open_and_wait(workspace, second));
    QCOMPARE(read_pinned(workspace), std::set{first});
  }

  void a_session_that_is_left_and_opened_again_at_once_is_read() {
    const gui_tests::Database database;
    const store::SessionId first = database.add_session(20);
    const store::SessionId second = database.add_session(20);
    workspace::Workspace workspace(database.path());
    QVERIFY(gui_tests::open_and_wait(workspace, first));
    workspace.open_session(second);
    workspace.open_session(first);
    QTRY_VERIFY_WITH_TIMEOUT(workspace.source() != nullptr, patience_milliseconds);
    QCOMPARE(workspace.source()->id(), first);
    workspace.close_source();
    workspace.open_session(first);
    QTRY_VERIFY_WITH_TIMEOUT(workspace.source() != nullptr, patience_milliseconds);
  }

  void every_order_of_opening_and_pinning_ends_with_all_snapshots() {
    base::Random random(testing::random_seed());
    const gui_tests::Database database;
    const std::array sessions{database.add_session(10), database.add_session(12), database.add_session(14)};
    workspace::Workspace workspace(database.path());
    for (int round = 0; round < 20; ++round) {
      for (int step = 0; step < 12; ++step) {
        const store::SessionId session = sessions[random.below(sessions.size())];
        std::set<store::SessionId> pinned = workspace.pinned();
        switch (random.below(4)) {
          case 0:
            workspace.close_source();
            break;
          case 1:
            if (pinned.erase(session) == 0) pinned.insert(session);
            workspace.set_pinned(pinned);
            break;
          case 2:
            workspace.open_session(session);
            break;
          default:
            QCoreApplication::processEvents();
        }
      }
      QTRY_VERIFY_WITH_TIMEOUT(!workspace.opened() || workspace.source() != nullptr, patience_milliseconds);
      if (workspace.opened()) QCOMPARE(workspace.source()->id(), *workspace.opened());
      QTRY_COMPARE_WITH_TIMEOUT(read_pinned(workspace), workspace.pinned(), patience_milliseconds);
    }
  }
};

KERNELSCAPE_TEST(WorkspaceSessionsTest, QApplication)

}  // namespace kernelscape::workspace_sessions_test
#include "workspace_sessions_test.moc"
