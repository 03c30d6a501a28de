#include <QDockWidget>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>
#include <array>

#include "core/base/random.h"
#include "tests/gui/frame_gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/frame/notices/deletion_bar.h"
#include "ui/frame/sessions/session_dock.h"
#include "ui/frame/view_registry.h"
#include "ui/views/tune/tune_view.h"
#include "ui/widgets/flat_header.h"

namespace kernelscape::frame_docks_test {

/** The sessions beside the views, and where docks stand when the window comes back. */
class FrameDocksTest : public QObject {
  Q_OBJECT

 private slots:
  void theSessionDockOpensSessions();
  void theSessionMenuDeletesAndTakesHome();
  void layoutsComeBack();
  void docksComeBackWithTheirHeights();
  void docksFoldAndUnfoldInAnyOrder();
  void aTableOutlivesItsModel();
};

namespace {

using gui_tests::Desk;
using gui_tests::roomy_window;
constexpr int deadline_milliseconds = gui_tests::frame_deadline_milliseconds;

}  // namespace

void FrameDocksTest::theSessionDockOpensSessions() {
  const gui_tests::Database database;
  const store::SessionId first = database.add_session(6);
  const store::SessionId second = database.add_session(5);
  Desk desk(database);
  QVERIFY(desk.wait_for_list());
  QListView& list = desk.part<frame::SessionDock>().list();
  QCOMPARE(list.model()->rowCount(), 2);
  QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(list.model()->index(1, 1)).center());
  QCOMPARE(desk.workspace.opened(), std::optional(first));
  QTest::keyClick(&list, Qt::Key_Up);
  QTest::keyClick(&list, Qt::Key_Return);
  QCOMPARE(desk.workspace.opened(), std::optional(second));
}

void FrameDocksTest::theSessionMenuDeletesAndTakesHome() {
  const gui_tests::Database database;
  const store::SessionId first = database.add_session(6);
  const store::SessionId second = database.add_session(5);
  QVERIFY(
      store::Store::open(database.path())->notices().add(first, {"machine", "the machine was loaded", 0}));
  Desk desk(database);
  QVERIFY(desk.wait_for_list());
  auto& dock = desk.part<frame::SessionDock>();
  QListView& list = dock.list();
  desk.workspace.open_session(second);
  const auto choose = [&](const QString& text) {
    emit list.customContextMenuRequested(list.visualRect(list.model()->index(1, 1)).center());
    QMenu* menu = dock.findChildren<QMenu*>().last();
    for (QAction* action : menu->actions()) {
      if (action->text() != text) continue;
      action->trigger();
      menu->close();
      return true;
    }
    return false;
  };
  QVERIFY(choose(QStringLiteral("Compare with the open session")));
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Compare"));
  QVERIFY(choose(QStringLiteral("Export...")));
  QCOMPARE(desk.workspace.opened(), std::optional(first));
  auto& bar = desk.part<frame::DeletionBar>();
  QVERIFY(!bar.isVisible());
  QVERIFY(choose(QStringLiteral("Delete")));
  QTRY_COMPARE_WITH_TIMEOUT(list.model()->rowCount(), 1, deadline_milliseconds);
  QVERIFY(!desk.workspace.opened());
  QVERIFY(bar.isVisible() && bar.text().contains(QString::number(first)));
  for (QPushButton* button : bar.findChildren<QPushButton*>())
    if (button->text() == QStringLiteral("Undo")) button->click();
  QTRY_COMPARE_WITH_TIMEOUT(list.model()->rowCount(), 2, deadline_milliseconds);
  QVERIFY(!bar.isVisible());
  QCOMPARE(store::Store::open(database.path())->notices().of(first)->size(), std::size_t{1});
}

void FrameDocksTest::docksFoldAndUnfoldInAnyOrder() {
  base::Random random(testing::random_seed());
  const auto below = [&](qsizetype count) {
    return static_cast<qsizetype>(random.below(static_cast<std::uint64_t>(count)));
  };
  const gui_tests::Database database;
  const store::SessionId session = database.add_session(6);
  Desk desk(database);
  QVERIFY(desk.wait_for_list());
  desk.workspace.open_session(session);
  const auto trigger = [&](const QString& id) { desk.window->actions().find(id)->trigger(); };
  const std::array sizes{QSize(640, 480), QSize(900, 600), QSize(1280, 800), roomy_window};
  const std::array texts{QStringLiteral("text.larger"), QStringLiteral("text.smaller"),
                         QStringLiteral("text.usual")};
  const auto& views = frame::view_registrations();
  for (int step = 0; step < 150; ++step) {
    const QList<QDockWidget*> docks = desk.window->current_view()->findChildren<QDockWidget*>();
    switch (random.below(5)) {
      case 0:
        trigger(texts[static_cast<std::size_t>(below(std::ssize(texts)))]);
        break;
      case 1:
        desk.window->resize(sizes[static_cast<std::size_t>(below(std::ssize(sizes)))]);
        break;
      case 2:
        if (!docks.isEmpty()) docks[below(docks.size())]->toggleViewAction()->trigger();
        break;
      case 3:
        trigger(QStringLiteral("show.reset"));
        break;
      default:
        desk.window->show_view(views[static_cast<std::size_t>(below(std::ssize(views)))].name);
    }
    if (random.below(2) == 0) QCoreApplication::processEvents();
  }
  trigger(QStringLiteral("text.usual"));
  QCoreApplication::processEvents();
  for (const auto& view : views) {
    desk.window->show_view(view.name);
    for (QDockWidget* dock : desk.window->current_view()->findChildren<QDockWidget*>())
      QVERIFY2(desk.window->current_view()->dockWidgetArea(dock) != Qt::NoDockWidgetArea,
               qPrintable(dock->objectName()));
  }
}

void FrameDocksTest::aTableOutlivesItsModel() {
  QTableView table;
  widgets::make_flat(table);
  auto model = std::make_unique<QStandardItemModel>(2, 3);
  table.setModel(model.get());
  table.show();
  QVERIFY(QTest::qWaitForWindowExposed(&table));
  model.reset();
  // Qt still asks for the sizes of the old sections, as when a dialog is deleted whose member is the model.
  QVERIFY(table.horizontalHeader()->sectionSizeHint(0) <= QTableView().width());
  QCoreApplication::processEvents();
  QCOMPARE(table.horizontalHeader()->count(), 0);
}

void FrameDocksTest::layoutsComeBack() {
  const gui_tests::Database database;
  Desk desk(database);
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  desk.window->actions().find(QStringLiteral("show.sessions"))->trigger();
  QVERIFY(!desk.part<frame::SessionDock>().isVisible());
  QVERIFY(!desk.window->actions().find(QStringLiteral("show.sessions"))->isChecked());
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  frame::MainWindow again(desk.workspace, desk.preferences);
  again.resize(roomy_window);
  again.show();
  QVERIFY(!again.findChild<frame::SessionDock*>()->isVisible());
  again.actions().find(QStringLiteral("show.sessions"))->trigger();
  QVERIFY(again.findChild<frame::SessionDock*>()->isVisible());
}

void FrameDocksTest::docksComeBackWithTheirHeights() {
  const gui_tests::Database database;
  Desk desk(database);
  const auto trials_dock = [](const frame::MainWindow& window) {
    return window.findChild<views::TuneView*>()->findChild<QDockWidget*>(QStringLiteral("Tune.Trials"));
  };
  const auto is_near = [](int height, int wanted) { return std::abs(height - wanted) <= 8; };
  desk.window->resize(roomy_window);
  QDockWidget* dock = trials_dock(*desk.window);
  QTRY_VERIFY(dock->height() > 100);
  const int usual = dock->sizeHint().height();
  const int chosen = usual + 120;
  QTest::qWait(50);
  desk.window->findChild<views::TuneView*>()->resizeDocks({dock}, {chosen}, Qt::Vertical);
  QTRY_VERIFY(is_near(dock->height(), chosen));
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  frame::MainWindow again(desk.workspace, desk.preferences);
  again.resize(roomy_window);
  again.show();
  QTRY_VERIFY2(is_near(trials_dock(again)->height(), chosen),
               qPrintable(QString::number(trials_dock(again)->height())));
  QTest::qWait(50);
  again.actions().find(QStringLiteral("show.reset"))->trigger();
  QTRY_VERIFY2(is_near(trials_dock(again)->height(), usual),
               qPrintable(QString::number(trials_dock(again)->height())));
}

KERNELSCAPE_TEST(FrameDocksTest, QApplication)

}  // namespace kernelscape::frame_docks_test
#include "frame_docks_test.moc"
