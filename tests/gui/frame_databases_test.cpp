#include <QFile>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTest>

#include "tests/gui/frame_gui_support.h"
#include "tests/gui/study_gui_support.h"
#include "tests/store/damage_support.h"
#include "tests/test_program.h"
#include "ui/frame/menus.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"
#include "ui/workspace/notices.h"

namespace kernelscape::frame_databases_test {

/** The database of a window: made, left for another one, and tidied up. */
class FrameDatabasesTest : public QObject {
  Q_OBJECT

 private slots:
  void theLastSessionIsOpenAgain();
  void aSessionOfAStudyIsOpenAgain();
  void oneThatIsGoneIsNotOpened();
  void oneThatIsDamagedIsClosedAgain();
  void anotherDatabaseIsAskedForInTheSameWay();
  void aWrongDatabaseLeavesTheOpenOneAlone();
  void recentDatabasesAreInTheMenu();
  void theTrashIsEmptiedAtTheEnd();
  void aDatabaseThatWasNotThereIsNamed();
  void theUsersOwnDatabaseIsMadeWithoutAWord();
};

namespace {

using gui_tests::button;
using gui_tests::Desk;
using gui_tests::Gate;
constexpr int deadline_milliseconds = gui_tests::frame_deadline_milliseconds;

/** As if this session had been open when the window closed. */
void remember_as_opened(Desk& desk, const gui_tests::Database& database, store::SessionId session) {
  desk.preferences.change([&](frame::Preferences& preferences) {
    preferences.session_database =
        QString::fromStdString(std::filesystem::absolute(database.path()).string());
    preferences.session = QString::number(session);
  });
}

}  // namespace

void FrameDatabasesTest::theLastSessionIsOpenAgain() {
  const gui_tests::Database database;
  const store::SessionId first = database.add_session(6);
  database.add_session(5);
  Desk desk(database);
  QVERIFY(desk.wait_for_list());
  QVERIFY(!desk.workspace.opened());
  desk.workspace.open_session(first);
  session::TuningRequest filled;
  filled.task = "matmul 96x96 96x96 f32";
  filled.tuner = "random";
  filled.budget.trials = 77;
  desk.part<views::TuneView>().form().set_request(filled);
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.count(), 1, deadline_milliseconds);
  workspace::Workspace workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus);
  frame::MainWindow again(workspace, desk.preferences);
  again.show();
  QTRY_COMPARE_WITH_TIMEOUT(workspace.opened(), std::optional(first), deadline_milliseconds);
  const session::TuningRequest kept = again.findChild<views::TuneView*>()->form().request();
  QCOMPARE(kept.task, filled.task);
  QCOMPARE(kept.tuner, filled.tuner);
  QCOMPARE(kept.budget.trials, filled.budget.trials);
  // Of another database nothing is known.
  const gui_tests::Database other;
  other.add_session(5);
  workspace::Workspace elsewhere(other.path(), gui_tests::run_scripted, gui_tests::no_gpus);
  frame::MainWindow third(elsewhere, desk.preferences);
  third.show();
  QTRY_VERIFY_WITH_TIMEOUT(!elsewhere.sessions()->empty(), deadline_milliseconds);
  QVERIFY(!elsewhere.opened());
}

void FrameDatabasesTest::aSessionOfAStudyIsOpenAgain() {
  const gui_tests::Database database;
  const store::StudyId study = gui_tests::add_study(database.path(), gui_tests::small_study());
  const store::SessionId run =
      store::Store::open(database.path())->studies().runs(study)->front().session.value();
  Desk desk(database);
  desk.workspace.open_session(run);
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.source() != nullptr, deadline_milliseconds);
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.count(), 1, deadline_milliseconds);
  workspace::Workspace workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus);
  const frame::MainWindow again(workspace, desk.preferences);
  QTRY_VERIFY_WITH_TIMEOUT(workspace.source() != nullptr, deadline_milliseconds);
  QCOMPARE(workspace.source()->id(), run);
}

void FrameDatabasesTest::oneThatIsGoneIsNotOpened() {
  // In the trash it is where the window was killed before it emptied that.
  for (const bool in_trash : {false, true}) {
    const gui_tests::Database database;
    const store::SessionId gone = database.add_session(3);
    database.add_session(4);
    Desk desk(database);
    remember_as_opened(desk, database, gone);
    store::Store store = *store::Store::open(database.path());
    QVERIFY(in_trash ? store.sessions().trash(gone) : store.sessions().remove(gone));
    workspace::Workspace workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus);
    QSignalSpy changed(&workspace, &workspace::Workspace::source_changed);
    const frame::MainWindow again(workspace, desk.preferences);
    // Opened by its number, and closed once the database says what became of it.
    QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 2, deadline_milliseconds);
    QVERIFY(!workspace.opened());
    QVERIFY(workspace.notices().all().empty());
  }
}

void FrameDatabasesTest::oneThatIsDamagedIsClosedAgain() {
  const gui_tests::Database database;
  const store::SessionId damaged = database.add_session(3);
  Desk desk(database);
  remember_as_opened(desk, database, damaged);
  QVERIFY(store_test::RawDatabase(database.path()).run("UPDATE session SET checksum = checksum + 1"));
  workspace::Workspace workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus);
  QSignalSpy changed(&workspace, &workspace::Workspace::source_changed);
  const frame::MainWindow again(workspace, desk.preferences);
  QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 2, deadline_milliseconds);
  QVERIFY(!workspace.opened());
  QVERIFY(!workspace.notices().all().empty());
}

void FrameDatabasesTest::anotherDatabaseIsAskedForInTheSameWay() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  const workspace::RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, workspace::RunState::Running));
  const QString other = QStringLiteral("/other.db");
  desk.window->leave_for(other);
  desk.window->guard().question()->button(QMessageBox::Cancel)->click();
  QTRY_VERIFY(desk.window->guard().question() == nullptr);
  desk.window->leave_for(other);
  button(*desk.window->guard().question(), QStringLiteral("Pause and open"))->click();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QCOMPARE(left.front().front().toString(), other);
}

void FrameDatabasesTest::aWrongDatabaseLeavesTheOpenOneAlone() {
  const gui_tests::Database database;
  database.add_session(4);
  Desk desk(database);
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  QVERIFY(desk.wait_for_list());
  const QString wrong = desk.folder.filePath(QStringLiteral("wrong.db"));
  QFile file(wrong);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(QByteArray("SQLite format 3").append(QByteArray(5000, 'x')));
  file.close();
  for (const QString& path : {wrong, desk.folder.filePath(QStringLiteral("none.db"))}) {
    const std::size_t reported = desk.workspace.notices().all().size();
    desk.window->open_database(path);
    QTRY_COMPARE_WITH_TIMEOUT(desk.workspace.notices().all().size(), reported + 1, deadline_milliseconds);
    const workspace::Notice& notice = desk.workspace.notices().all().back();
    QCOMPARE(notice.kind, workspace::Notice::Kind::Failure);
    QVERIFY2(notice.text.contains(path), qPrintable(notice.text));
    QVERIFY2(notice.hint.contains(QStringLiteral("test.db stays open")), qPrintable(notice.hint));
    QVERIFY(!notice.hint.contains(QStringLiteral("--db")));
  }
  QVERIFY(!QFile::exists(desk.folder.filePath(QStringLiteral("none.db"))));
  QVERIFY(desk.window->isVisible());
  QVERIFY(left.empty());
  QCOMPARE(desk.workspace.sessions()->size(), std::size_t{1});
  // What is told elsewhere speaks of the menu as well.
  desk.workspace.notices().fail(
      {ErrorCode::Corrupt, "damaged", "restore a copy, or name another database with --db"});
  QCOMPARE(desk.workspace.notices().all().back().hint,
           QStringLiteral("restore a copy, or open another database from the File menu"));
}

void FrameDatabasesTest::recentDatabasesAreInTheMenu() {
  const gui_tests::Database first;
  const gui_tests::Database second;
  for (const auto* database : {&first, &second}) QVERIFY(store::Store::open(database->path()));
  Desk desk(first);
  QTRY_COMPARE_WITH_TIMEOUT(desk.preferences.get().recent_databases.size(), 1, deadline_milliseconds);
  workspace::Workspace other(second.path(), gui_tests::run_scripted, gui_tests::no_gpus);
  frame::MainWindow window(other, desk.preferences);
  const QAction* action = window.actions().find(QStringLiteral("recent.1"));
  QVERIFY(action != nullptr);
  QVERIFY(action->text().contains(QString::fromStdString(first.path().string())));
  QVERIFY(window.findChild<frame::Menus*>()->actions_of(QStringLiteral("File")).contains(action));
  QCOMPARE(window.actions().find(QStringLiteral("recent.2")), nullptr);
  QTRY_COMPARE_WITH_TIMEOUT(desk.preferences.get().recent_databases.size(), 2, deadline_milliseconds);
  QCOMPARE(desk.preferences.get().recent_databases.front(), QString::fromStdString(second.path().string()));
  QSignalSpy left(&window, &frame::MainWindow::left);
  window.actions().find(QStringLiteral("recent.1"))->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QCOMPARE(left.front().front().toString(), QString::fromStdString(first.path().string()));
  workspace::JobTracker::wait_for_all();
}

void FrameDatabasesTest::theTrashIsEmptiedAtTheEnd() {
  const gui_tests::Database database;
  const store::SessionId kept = database.add_session(3);
  const store::SessionId trashed = database.add_session(3);
  Desk desk(database);
  QSignalSpy left(desk.window.get(), &frame::MainWindow::left);
  QVERIFY(desk.workspace.write([&](store::Store& store) { return store.sessions().trash(trashed); }));
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  const store::Store store = *store::Store::open(database.path());
  QVERIFY(store.sessions().get(kept));
  QVERIFY(!store.sessions().get(trashed));
}

void FrameDatabasesTest::aDatabaseThatWasNotThereIsNamed() {
  const gui_tests::Database database;
  const QString path = QString::fromStdString(database.path().string());
  {
    Desk desk(database);
    const std::vector<workspace::Notice>& reported = desk.workspace.notices().all();
    QTRY_COMPARE_WITH_TIMEOUT(reported.size(), std::size_t{1}, deadline_milliseconds);
    QCOMPARE(reported.front().kind, workspace::Notice::Kind::Information);
    QVERIFY2(reported.front().text.contains(path), qPrintable(reported.front().text));
    QVERIFY(std::filesystem::exists(database.path()));
    QVERIFY(desk.window->windowTitle().startsWith(QStringLiteral("test.db ")));
  }
  Desk again(database);
  QTRY_VERIFY_WITH_TIMEOUT(!again.list_read.empty(), deadline_milliseconds);
  QVERIFY(again.workspace.notices().all().empty());
}

void FrameDatabasesTest::theUsersOwnDatabaseIsMadeWithoutAWord() {
  const QByteArray before = qgetenv("XDG_DATA_HOME");
  const QTemporaryDir data;
  qputenv("XDG_DATA_HOME", data.path().toLocal8Bit());
  {
    Desk desk(store::Store::default_path());
    QTRY_VERIFY_WITH_TIMEOUT(!desk.list_read.empty(), deadline_milliseconds);
    QVERIFY(std::filesystem::exists(desk.workspace.database()));
    QVERIFY(desk.workspace.notices().all().empty());
    QCOMPARE(desk.window->windowTitle(), QStringLiteral("Kernelscape"));
  }
  qputenv("XDG_DATA_HOME", before);
}

KERNELSCAPE_TEST(FrameDatabasesTest, QApplication)

}  // namespace kernelscape::frame_databases_test
#include "frame_databases_test.moc"
