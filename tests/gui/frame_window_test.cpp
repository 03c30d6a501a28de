#include <QAbstractButton>
#include <QDockWidget>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <atomic>

#include "core/task/data_folder.h"
#include "tests/gui/study_gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/first_start_page.h"
#include "ui/frame/main_window.h"
#include "ui/frame/menus.h"
#include "ui/frame/notices/deletion_bar.h"
#include "ui/frame/notices/interruption_bar.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/palette_model.h"
#include "ui/frame/sessions/session_dock.h"
#include "ui/frame/status_line.h"
#include "ui/frame/view_registry.h"
#include "ui/manual/glossary.h"
#include "ui/manual/manual_window.h"
#include "ui/models/session_text.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"
#include "ui/workspace/study_runner.h"

using namespace kernelscape;

/** The window as a user meets it: started, used, closed. */
class FrameWindowTest : public QObject {
  Q_OBJECT

 private slots:
  void aNewDatabaseIsGreetedOnce();
  void theFirstCardTunes_data();
  void theFirstCardTunes();
  void viewsAreReachedByKeyboard();
  void everyActionHasAMenuAndIsInThePalette();
  void whatTakesTheFocusHasAName();
  void everyHeaderIsExplained();
  void theManualOpensAtTheView();
  void theSessionDockOpensSessions();
  void theSessionMenuDeletesAndTakesHome();
  void theLastSessionIsOpenAgain();
  void preferredThreadsAreInTheForm();
  void aTaskOfTheCatalogueFillsTheForm();
  void closingAsksOnlyWhileSomethingRuns();
  void pausingKeepsWhatWasMeasured();
  void aSignalPausesWithoutAsking();
  void anotherDatabaseIsAskedForInTheSameWay();
  void aWrongDatabaseLeavesTheOpenOneAlone();
  void recentDatabasesAreInTheMenu();
  void theTrashIsEmptiedAtTheEnd();
  void deadOwnersAreOfferedOnce();
  void aDatabaseThatWasNotThereIsNamed();
  void theUsersOwnDatabaseIsMadeWithoutAWord();
  void noticesAreCountedAndKept();
  void layoutsComeBack();
  void docksComeBackWithTheirHeights();
  void theRunMenuBeginsWithANewRun();
  void theStatusLineFollowsAStudy();
};

namespace {

constexpr int deadline_milliseconds = 30'000;
constexpr QSize roomy_window(1500, 1200);  // nothing folds; the offscreen platform's screen is smaller

/** Measures nothing until it is opened or the run is stopped. */
struct Gate {
  std::atomic<bool> open{false};

  SessionRunner runner() {
    return [this](Store& store, const PreparedTuning& tuning, std::optional<SessionId> resumed,
                  SessionObserver& observer, const StopRequest& stop) {
      MeasurementScript script = gui_tests::make_script();
      script.measure = [this, &stop](const Configuration& configuration) {
        while (!open && stop.level() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
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

/** A workspace and its window. */
struct Desk {
  explicit Desk(const gui_tests::Database& database, bool greeted = true,
                SessionRunner runner = gui_tests::run_scripted)
      : Desk(database.path(), greeted, std::move(runner)) {}
  explicit Desk(const std::filesystem::path& database, bool greeted = true,
                SessionRunner runner = gui_tests::run_scripted)
      : preferences(folder.filePath(QStringLiteral("preferences.json")).toStdString()),
        workspace(database, std::move(runner), gui_tests::no_gpus) {
    preferences.change([&](Preferences& p) { p.first_start_dismissed = greeted; });
    window = std::make_unique<MainWindow>(workspace, preferences);
    window->resize(roomy_window);
    window->show();
  }
  ~Desk() { JobTracker::wait_for_all(); }

  bool wait_for_list() {
    return QTest::qWaitFor([&] { return !workspace.sessions()->empty(); }, deadline_milliseconds);
  }
  template <typename Widget>
  Widget& part() {
    return *window->findChild<Widget*>();
  }
  RunId start(std::int64_t trials) {
    TuningRequest request;
    request.task = "matmul 64x64 64x64 f32";
    request.tuner = "random";
    request.seed = 3;
    request.budget.trials = trials;
    return workspace.queue().start(request);
  }
  bool wait_for_state(RunId run, RunState state) {
    return QTest::qWaitFor([&] { return workspace.queue().run(run)->state == state; }, deadline_milliseconds);
  }

  QTemporaryDir folder;
  PreferencesFile preferences;
  Workspace workspace;
  QSignalSpy list_read{&workspace, &Workspace::sessions_changed};
  std::unique_ptr<MainWindow> window;
};

QAbstractButton* button(const QWidget& parent, const QString& text) {
  for (auto* found : parent.findChildren<QAbstractButton*>()) {
    if (found->text() == text) return found;
  }
  return nullptr;
}

}  // namespace

void FrameWindowTest::aNewDatabaseIsGreetedOnce() {
  const gui_tests::Database database;
  {
    Desk desk(database, false);
    QTRY_VERIFY_WITH_TIMEOUT(desk.window->shows_first_start(), deadline_milliseconds);
    QCOMPARE(desk.window->current_view(), nullptr);
    QAbstractButton* first =
        button(desk.part<FirstStartPage>(), QStringLiteral("Tune a layer on this CPU now"));
    QVERIFY(first != nullptr);
    QCOMPARE(desk.window->focusWidget(), first);
    // Offered where the recorded space that comes with the program is there.
    QCOMPARE(button(desk.part<FirstStartPage>(), QStringLiteral("Explore a recorded space"))->isVisible(),
             std::filesystem::exists(data_folder() / "recorded/resnet18-C12-conv2d-packed.ksrec"));
    QTest::mouseClick(button(desk.part<FirstStartPage>(), QStringLiteral("Not now")), Qt::LeftButton);
    QVERIFY(!desk.window->shows_first_start());
    QVERIFY(desk.preferences.get().first_start_dismissed);
  }
  Desk again(database, true);
  QTRY_VERIFY_WITH_TIMEOUT(!again.list_read.empty(), deadline_milliseconds);
  QVERIFY(!again.window->shows_first_start());
  again.window->actions().find(QStringLiteral("help.first-start"))->trigger();
  QVERIFY(again.window->shows_first_start());
}

void FrameWindowTest::theFirstCardTunes_data() {
  QTest::addColumn<Qt::Key>("key");
  QTest::newRow("space") << Qt::Key_Space;
  QTest::newRow("return") << Qt::Key_Return;
}

void FrameWindowTest::theFirstCardTunes() {
  QFETCH(const Qt::Key, key);
  const gui_tests::Database database;
  Desk desk(database, false);
  QTRY_VERIFY_WITH_TIMEOUT(desk.window->shows_first_start(), deadline_milliseconds);
  QTest::keyClick(desk.window->focusWidget(), key);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Tune"));
  QCOMPARE(desk.workspace.queue().runs().size(), std::size_t{1});
  QCOMPARE(desk.workspace.queue().runs().front().budget.minutes, 1.0);
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.source() != nullptr, deadline_milliseconds);
  QCOMPARE(desk.workspace.source()->task().name, std::string("resnet18/C6"));
  QVERIFY(desk.preferences.get().first_start_dismissed);
}

void FrameWindowTest::viewsAreReachedByKeyboard() {
  const gui_tests::Database database;
  Desk desk(database);
  QVERIFY(QTest::qWaitForWindowActive(desk.window.get()));
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Tune"));
  QTest::keyClick(desk.window.get(), Qt::Key_3, Qt::ControlModifier);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Compare"));
  QTest::keyClick(desk.window.get(), Qt::Key_4, Qt::ControlModifier);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Library"));
  QTest::keyClick(desk.window.get(), Qt::Key_2, Qt::ControlModifier);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Explore"));
  QVERIFY(desk.window->actions().find(QStringLiteral("go.Explore"))->isChecked());
  QVERIFY(!desk.window->actions().find(QStringLiteral("go.Library"))->isChecked());
  QCOMPARE(desk.preferences.get().view, QStringLiteral("Explore"));
}

void FrameWindowTest::everyActionHasAMenuAndIsInThePalette() {
  const gui_tests::Database database;
  Desk desk(database);
  QTRY_VERIFY_WITH_TIMEOUT(desk.window->findChildren<View*>().size() == std::ssize(view_registrations()),
                           deadline_milliseconds);
  desk.window->actions().find(QStringLiteral("tools.commands"))->trigger();
  CommandPalette& palette = desk.window->palette_popup();
  auto* model = qobject_cast<PaletteModel*>(palette.list().model());
  auto& menus = desk.part<Menus>();
  QVERIFY(desk.window->actions().entries().size() > 20);
  for (const ActionRegistry::Entry& entry : desk.window->actions().entries()) {
    const QString text = entry.declaration.text;
    QVERIFY2(menus.menu(entry.declaration.menu) != nullptr, qPrintable(entry.declaration.id));
    const bool seen = entry.declaration.scope == nullptr || entry.declaration.scope->isVisible();
    QCOMPARE(menus.actions_of(entry.declaration.menu).contains(entry.action), seen);
    palette.entry().setText(text);
    bool listed = false;
    for (int row = 0; row < model->rowCount(); ++row) listed |= model->command(row).text == text;
    QVERIFY2(listed || !is_reachable(entry), qPrintable(text));
  }
}

void FrameWindowTest::whatTakesTheFocusHasAName() {
  const gui_tests::Database database;
  database.add_session(20);
  Desk desk(database);
  QTRY_VERIFY_WITH_TIMEOUT(desk.window->findChildren<View*>().size() == std::ssize(view_registrations()),
                           deadline_milliseconds);
  QVERIFY(desk.wait_for_list());
  desk.window->actions().find(QStringLiteral("show.log"))->trigger();
  desk.window->actions().find(QStringLiteral("tools.preferences"))->trigger();
  desk.window->actions().find(QStringLiteral("help.shortcuts"))->trigger();
  int named = 0;
  for (const QWidget* widget : desk.window->findChildren<QWidget*>()) {
    if ((widget->focusPolicy() & Qt::TabFocus) == 0 ||
        qobject_cast<const View*>(widget->parentWidget()) != nullptr)
      continue;
    const bool inside_another = widget->objectName().startsWith(QStringLiteral("qt_"));
    if (inside_another || !widget->isVisibleTo(desk.window.get()) || widget->focusProxy() != nullptr)
      continue;
    const auto* text_button = qobject_cast<const QAbstractButton*>(widget);
    const bool has_name =
        !widget->accessibleName().isEmpty() || (text_button != nullptr && !text_button->text().isEmpty());
    QVERIFY2(has_name,
             qPrintable(QStringLiteral("%1 in %2")
                            .arg(QLatin1String(widget->metaObject()->className()),
                                 QLatin1String(widget->parentWidget()->metaObject()->className()))));
    ++named;
  }
  QVERIFY(named > 10);
}

void FrameWindowTest::everyHeaderIsExplained() {
  const gui_tests::Database database;
  Desk desk(database);
  QTRY_VERIFY_WITH_TIMEOUT(desk.window->findChildren<View*>().size() == std::ssize(view_registrations()),
                           deadline_milliseconds);
  desk.window->actions().find(QStringLiteral("show.log"))->trigger();
  desk.part<CompareView>().new_study();
  QStringList unexplained;
  int titled = 0;
  for (const QHeaderView* header : desk.window->findChildren<QHeaderView*>()) {
    if (header->orientation() != Qt::Horizontal || header->model() == nullptr) continue;
    for (int section = 0; section < header->count(); ++section) {
      const QString title = header->model()->headerData(section, Qt::Horizontal).toString();
      // Columns that nobody has named yet are numbered.
      if (title.trimmed().isEmpty() || title.toInt() != 0) continue;
      ++titled;
      if (explained(title) == nullptr) unexplained.append(title);
    }
  }
  QVERIFY(titled > 40);
  QCOMPARE(unexplained, QStringList());
}

void FrameWindowTest::theManualOpensAtTheView() {
  const gui_tests::Database database;
  Desk desk(database);
  for (const ViewRegistration& view : view_registrations()) {
    desk.window->actions().find(QStringLiteral("go.") + view.name)->trigger();
    desk.window->actions().find(QStringLiteral("help.manual"))->trigger();
    const ManualPlace place = desk.part<ManualWindow>().place();
    const ManualPage* page = manual_page(place.path);
    QVERIFY2(page != nullptr, qPrintable(view.name));
    const auto section = std::ranges::find(page->sections, place.anchor, &ManualSection::anchor);
    QVERIFY2(section != page->sections.end(), qPrintable(view.name));
    QCOMPARE(section->heading, view.name);
  }
}

void FrameWindowTest::theSessionDockOpensSessions() {
  const gui_tests::Database database;
  const SessionId first = database.add_session(6);
  const SessionId second = database.add_session(5);
  Desk desk(database);
  QVERIFY(desk.wait_for_list());
  QListView& list = desk.part<SessionDock>().list();
  QCOMPARE(list.model()->rowCount(), 2);
  QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(list.model()->index(1, 1)).center());
  QCOMPARE(desk.workspace.opened(), std::optional(first));
  QTest::keyClick(&list, Qt::Key_Up);
  QTest::keyClick(&list, Qt::Key_Return);
  QCOMPARE(desk.workspace.opened(), std::optional(second));
}

void FrameWindowTest::theSessionMenuDeletesAndTakesHome() {
  const gui_tests::Database database;
  const SessionId first = database.add_session(6);
  const SessionId second = database.add_session(5);
  QVERIFY(Store::open(database.path())->add_notice(first, {"machine", "the machine was loaded", 0}));
  Desk desk(database);
  QVERIFY(desk.wait_for_list());
  auto& dock = desk.part<SessionDock>();
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
  auto& bar = desk.part<DeletionBar>();
  QVERIFY(!bar.isVisible());
  QVERIFY(choose(QStringLiteral("Delete")));
  QTRY_COMPARE_WITH_TIMEOUT(list.model()->rowCount(), 1, deadline_milliseconds);
  QVERIFY(!desk.workspace.opened());
  QVERIFY(bar.isVisible() && bar.text().contains(QString::number(first)));
  for (QPushButton* button : bar.findChildren<QPushButton*>())
    if (button->text() == QStringLiteral("Undo")) button->click();
  QTRY_COMPARE_WITH_TIMEOUT(list.model()->rowCount(), 2, deadline_milliseconds);
  QVERIFY(!bar.isVisible());
  QCOMPARE(Store::open(database.path())->notices(first)->size(), std::size_t{1});
}

void FrameWindowTest::theLastSessionIsOpenAgain() {
  const gui_tests::Database database;
  const SessionId first = database.add_session(6);
  database.add_session(5);
  Desk desk(database);
  QVERIFY(desk.wait_for_list());
  QVERIFY(!desk.workspace.opened());
  desk.workspace.open_session(first);
  TuningRequest filled;
  filled.task = "matmul 96x96 96x96 f32";
  filled.tuner = "random";
  filled.budget.trials = 77;
  desk.part<TuneView>().form().set_request(filled);
  QSignalSpy left(desk.window.get(), &MainWindow::left);
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.count(), 1, deadline_milliseconds);
  Workspace workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus);
  MainWindow again(workspace, desk.preferences);
  again.show();
  QTRY_COMPARE_WITH_TIMEOUT(workspace.opened(), std::optional(first), deadline_milliseconds);
  const TuningRequest kept = again.findChild<TuneView*>()->form().request();
  QCOMPARE(kept.task, filled.task);
  QCOMPARE(kept.tuner, filled.tuner);
  QCOMPARE(kept.budget.trials, filled.budget.trials);
  // Of another database nothing is known.
  const gui_tests::Database other;
  other.add_session(5);
  Workspace elsewhere(other.path(), gui_tests::run_scripted, gui_tests::no_gpus);
  MainWindow third(elsewhere, desk.preferences);
  third.show();
  QTRY_VERIFY_WITH_TIMEOUT(!elsewhere.sessions()->empty(), deadline_milliseconds);
  QVERIFY(!elsewhere.opened());
}

void FrameWindowTest::preferredThreadsAreInTheForm() {
  const gui_tests::Database database;
  Desk desk(database);
  desk.preferences.change([](Preferences& p) { p.threads = 3; });
  MainWindow window(desk.workspace, desk.preferences);
  QCOMPARE(window.findChild<TuneView*>()->form().request().measuring.threads, 3);
}

void FrameWindowTest::aTaskOfTheCatalogueFillsTheForm() {
  const gui_tests::Database database;
  Desk desk(database);
  CommandPalette& palette = desk.window->palette_popup();
  const auto open = [&] {
    palette.hide();
    desk.window->actions().find(QStringLiteral("tools.commands"))->trigger();
    palette.entry().setText(QStringLiteral("tune resnet18/C6"));
    return palette.list().model()->rowCount() > 0 &&
           palette.list().currentIndex().data().toString() == QStringLiteral("Tune resnet18/C6");
  };
  QVERIFY(QTest::qWaitFor(open, deadline_milliseconds));
  desk.window->show_view(QStringLiteral("Library"));
  QVERIFY(open());
  QTest::keyClick(&palette.entry(), Qt::Key_Return);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Tune"));
  QCOMPARE(desk.part<TuneView>().form().request().task, std::string("resnet18/C6"));
}

void FrameWindowTest::closingAsksOnlyWhileSomethingRuns() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  QSignalSpy left(desk.window.get(), &MainWindow::left);
  const RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, RunState::Running));
  desk.window->close();
  QVERIFY(desk.window->isVisible());
  QMessageBox* question = desk.window->guard().question();
  QVERIFY(question != nullptr);
  QCOMPARE(question->windowModality() != Qt::ApplicationModal, true);
  question->button(QMessageBox::Cancel)->click();
  QTRY_VERIFY(desk.window->guard().question() == nullptr);
  QCOMPARE(desk.workspace.queue().run(run)->state, RunState::Running);
  gate.open = true;
  QVERIFY(desk.wait_for_state(run, RunState::Done));
  QVERIFY(QTest::qWaitFor([&] { return desk.workspace.queue().idle(); }, deadline_milliseconds));
  QCOMPARE(left.size(), 0);
  desk.window->close();
  QCOMPARE(desk.window->guard().question(), nullptr);
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QVERIFY(!desk.window->isVisible());
}

void FrameWindowTest::pausingKeepsWhatWasMeasured() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  QSignalSpy left(desk.window.get(), &MainWindow::left);
  const RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, RunState::Running));
  desk.start(10);
  desk.window->close();
  button(*desk.window->guard().question(), QStringLiteral("Pause and quit"))->click();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QCOMPARE(desk.workspace.queue().run(run)->state, RunState::Paused);
  const auto session = Store::open(database.path())->session(*desk.workspace.queue().run(run)->session);
  QCOMPARE(session->status.state, SessionState::Interrupted);
  QVERIFY(!session->owner);
  // The next window offers to go on, once, in the word that its lists have for it.
  {
    MainWindow next(desk.workspace, desk.preferences);
    next.show();
    auto* bar = next.findChild<InterruptionBar*>();
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), deadline_milliseconds);
    QVERIFY2(bar->text().contains(QStringLiteral("was paused")), qPrintable(bar->text()));
    QVERIFY(desk.preferences.get().paused_sessions.isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(!desk.workspace.sessions()->empty(), deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(session_state_text(desk.workspace.sessions()->front()),
                              QStringLiteral("paused"), deadline_milliseconds);
    emit bar->dismissed();
    QVERIFY(!bar->isVisible());
  }
  MainWindow last(desk.workspace, desk.preferences);
  last.show();
  QVERIFY(!last.findChild<InterruptionBar*>()->isVisible());
}

void FrameWindowTest::aSignalPausesWithoutAsking() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  QSignalSpy left(desk.window.get(), &MainWindow::left);
  const RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, RunState::Running));
  // Even while the question stands.
  desk.window->close();
  desk.window->leave_pausing();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QCOMPARE(desk.workspace.queue().run(run)->state, RunState::Paused);
}

void FrameWindowTest::anotherDatabaseIsAskedForInTheSameWay() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  QSignalSpy left(desk.window.get(), &MainWindow::left);
  const RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, RunState::Running));
  const QString other = QStringLiteral("/other.db");
  desk.window->leave_for(other);
  desk.window->guard().question()->button(QMessageBox::Cancel)->click();
  QTRY_VERIFY(desk.window->guard().question() == nullptr);
  desk.window->leave_for(other);
  button(*desk.window->guard().question(), QStringLiteral("Pause and open"))->click();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QCOMPARE(left.front().front().toString(), other);
}

void FrameWindowTest::aWrongDatabaseLeavesTheOpenOneAlone() {
  const gui_tests::Database database;
  database.add_session(4);
  Desk desk(database);
  QSignalSpy left(desk.window.get(), &MainWindow::left);
  QVERIFY(desk.wait_for_list());
  const QString wrong = desk.folder.filePath(QStringLiteral("wrong.db"));
  QFile file(wrong);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(QByteArray("SQLite format 3").append(QByteArray(5000, 'x')));
  file.close();
  for (const QString& path : {wrong, desk.folder.filePath(QStringLiteral("none.db"))}) {
    const std::size_t told = desk.workspace.notices().all().size();
    desk.window->open_database(path);
    QTRY_COMPARE_WITH_TIMEOUT(desk.workspace.notices().all().size(), told + 1, deadline_milliseconds);
    const Notice& notice = desk.workspace.notices().all().back();
    QCOMPARE(notice.kind, Notice::Kind::Failure);
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

void FrameWindowTest::recentDatabasesAreInTheMenu() {
  const gui_tests::Database first;
  const gui_tests::Database second;
  for (const auto* database : {&first, &second}) QVERIFY(Store::open(database->path()));
  Desk desk(first);
  QTRY_COMPARE_WITH_TIMEOUT(desk.preferences.get().recent_databases.size(), 1, deadline_milliseconds);
  Workspace other(second.path(), gui_tests::run_scripted, gui_tests::no_gpus);
  MainWindow window(other, desk.preferences);
  const QAction* action = window.actions().find(QStringLiteral("recent.1"));
  QVERIFY(action != nullptr);
  QVERIFY(action->text().contains(QString::fromStdString(first.path().string())));
  QVERIFY(window.findChild<Menus*>()->actions_of(QStringLiteral("File")).contains(action));
  QCOMPARE(window.actions().find(QStringLiteral("recent.2")), nullptr);
  QTRY_COMPARE_WITH_TIMEOUT(desk.preferences.get().recent_databases.size(), 2, deadline_milliseconds);
  QCOMPARE(desk.preferences.get().recent_databases.front(), QString::fromStdString(second.path().string()));
  QSignalSpy left(&window, &MainWindow::left);
  window.actions().find(QStringLiteral("recent.1"))->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  QCOMPARE(left.front().front().toString(), QString::fromStdString(first.path().string()));
  JobTracker::wait_for_all();
}

void FrameWindowTest::theTrashIsEmptiedAtTheEnd() {
  const gui_tests::Database database;
  const SessionId kept = database.add_session(3);
  const SessionId trashed = database.add_session(3);
  Desk desk(database);
  QSignalSpy left(desk.window.get(), &MainWindow::left);
  QVERIFY(desk.workspace.write([&](Store& store) { return store.trash_session(trashed); }));
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  const Store store = *Store::open(database.path());
  QVERIFY(store.session(kept));
  QVERIFY(!store.session(trashed));
}

void FrameWindowTest::deadOwnersAreOfferedOnce() {
  const gui_tests::Database database;
  const SessionId id = database.add_session(6);
  {
    Store store = *Store::open(database.path());
    SessionStatus status = store.session(id)->status;
    Owner dead = Owner::this_process();
    dead.process_start += 1;
    QVERIFY(store.claim_session(id, dead));
    status.state = SessionState::Running;
    QVERIFY(store.update_status(id, status));
  }
  Desk desk(database);
  auto& bar = desk.part<InterruptionBar>();
  QTRY_VERIFY_WITH_TIMEOUT(bar.isVisible(), deadline_milliseconds);
  QVERIFY(bar.text().contains(QStringLiteral("interrupted")));
  emit bar.dismissed();
  QVERIFY(!bar.isVisible());
  QVERIFY(!Store::open(database.path())->session(id)->owner);
  Desk again(database);
  QVERIFY(again.wait_for_list());
  QVERIFY(!again.part<InterruptionBar>().isVisible());
}

void FrameWindowTest::aDatabaseThatWasNotThereIsNamed() {
  const gui_tests::Database database;
  const QString path = QString::fromStdString(database.path().string());
  {
    Desk desk(database);
    const std::vector<Notice>& told = desk.workspace.notices().all();
    QTRY_COMPARE_WITH_TIMEOUT(told.size(), std::size_t{1}, deadline_milliseconds);
    QCOMPARE(told.front().kind, Notice::Kind::Information);
    QVERIFY2(told.front().text.contains(path), qPrintable(told.front().text));
    QVERIFY(std::filesystem::exists(database.path()));
    QVERIFY(desk.window->windowTitle().startsWith(QStringLiteral("test.db ")));
  }
  Desk again(database);
  QTRY_VERIFY_WITH_TIMEOUT(!again.list_read.empty(), deadline_milliseconds);
  QVERIFY(again.workspace.notices().all().empty());
}

void FrameWindowTest::theUsersOwnDatabaseIsMadeWithoutAWord() {
  const QByteArray before = qgetenv("XDG_DATA_HOME");
  const QTemporaryDir data;
  qputenv("XDG_DATA_HOME", data.path().toLocal8Bit());
  {
    Desk desk(Store::default_path());
    QTRY_VERIFY_WITH_TIMEOUT(!desk.list_read.empty(), deadline_milliseconds);
    QVERIFY(std::filesystem::exists(desk.workspace.database()));
    QVERIFY(desk.workspace.notices().all().empty());
    QCOMPARE(desk.window->windowTitle(), QStringLiteral("Kernelscape"));
  }
  qputenv("XDG_DATA_HOME", before);
}

void FrameWindowTest::noticesAreCountedAndKept() {
  const gui_tests::Database database;
  QVERIFY(Store::open(database.path()));
  Desk desk(database);
  auto& bar = desk.part<NoticeBar>();
  QVERIFY(!bar.isVisible());
  const Error error{ErrorCode::Environment, "the disk is full", "make room"};
  for (int i = 0; i < 1000; ++i) desk.workspace.notices().fail(error);
  QVERIFY(bar.isVisible());
  QVERIFY(bar.text().contains(QStringLiteral("1,000")));
  QCOMPARE(bar.hint(), QStringLiteral("make room"));
  desk.workspace.notices().inform(QStringLiteral("all is well"));
  QVERIFY(bar.text().contains(QStringLiteral("the disk is full")));
  emit bar.dismissed();
  QVERIFY(!bar.isVisible());
  QCOMPARE(desk.workspace.notices().all().size(), std::size_t{2});
  desk.workspace.notices().inform(QStringLiteral("all is well"));
  QVERIFY(bar.isVisible());
}

void FrameWindowTest::layoutsComeBack() {
  const gui_tests::Database database;
  Desk desk(database);
  QSignalSpy left(desk.window.get(), &MainWindow::left);
  desk.window->actions().find(QStringLiteral("show.sessions"))->trigger();
  QVERIFY(!desk.part<SessionDock>().isVisible());
  QVERIFY(!desk.window->actions().find(QStringLiteral("show.sessions"))->isChecked());
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  MainWindow again(desk.workspace, desk.preferences);
  again.resize(roomy_window);
  again.show();
  QVERIFY(!again.findChild<SessionDock*>()->isVisible());
  again.actions().find(QStringLiteral("show.sessions"))->trigger();
  QVERIFY(again.findChild<SessionDock*>()->isVisible());
}

void FrameWindowTest::docksComeBackWithTheirHeights() {
  const gui_tests::Database database;
  Desk desk(database);
  const auto trials_dock = [](const MainWindow& window) {
    return window.findChild<TuneView*>()->findChild<QDockWidget*>(QStringLiteral("Tune.Trials"));
  };
  const auto is_near = [](int height, int wanted) { return std::abs(height - wanted) <= 8; };
  desk.window->resize(roomy_window);
  QDockWidget* dock = trials_dock(*desk.window);
  QTRY_VERIFY(dock->height() > 100);
  const int usual = dock->sizeHint().height();
  const int chosen = usual + 120;
  QTest::qWait(50);
  desk.window->findChild<TuneView*>()->resizeDocks({dock}, {chosen}, Qt::Vertical);
  QTRY_VERIFY(is_near(dock->height(), chosen));
  QSignalSpy left(desk.window.get(), &MainWindow::left);
  desk.window->close();
  QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
  MainWindow again(desk.workspace, desk.preferences);
  again.resize(roomy_window);
  again.show();
  QTRY_VERIFY2(is_near(trials_dock(again)->height(), chosen),
               qPrintable(QString::number(trials_dock(again)->height())));
  QTest::qWait(50);
  again.actions().find(QStringLiteral("show.reset"))->trigger();
  QTRY_VERIFY2(is_near(trials_dock(again)->height(), usual),
               qPrintable(QString::number(trials_dock(again)->height())));
}

void FrameWindowTest::theRunMenuBeginsWithANewRun() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  const QList<QAction*> listed = desk.part<Menus>().actions_of(QStringLiteral("Run"));
  QCOMPARE(listed.front(), desk.window->actions().find(QStringLiteral("run.new")));
  const QAction* stop_all = desk.window->actions().find(QStringLiteral("queue.stop-all"));
  QVERIFY(listed.indexOf(stop_all) > 0);
  QVERIFY(!stop_all->isEnabled());
  const RunId run = desk.start(40);
  QVERIFY(desk.wait_for_state(run, RunState::Running));
  QTRY_VERIFY_WITH_TIMEOUT(stop_all->isEnabled(), deadline_milliseconds);
  gate.open = true;
  QVERIFY(desk.wait_for_state(run, RunState::Done));
  QTRY_VERIFY_WITH_TIMEOUT(!stop_all->isEnabled(), deadline_milliseconds);
}

void FrameWindowTest::theStatusLineFollowsAStudy() {
  const gui_tests::Database database;
  Gate gate;
  Desk desk(database, true, gate.runner());
  const auto texts = [&] {
    QStringList shown;
    for (const QLabel* label : desk.part<StatusLine>().findChildren<QLabel*>())
      if (!label->isHidden()) shown.append(label->text());
    return shown.join(QLatin1Char(' '));
  };
  desk.workspace.study_runner().start(gui_tests::small_study());
  QTRY_VERIFY2_WITH_TIMEOUT(texts().contains(QStringLiteral("0/8 runs")), qPrintable(texts()),
                            deadline_milliseconds);
  auto* title = desk.part<StatusLine>().findChild<QToolButton*>();
  QVERIFY(title->text().startsWith(QStringLiteral("study ")));
  QTest::mouseClick(title, Qt::LeftButton);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Compare"));
  gate.open = true;
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.study_runner().idle(), deadline_milliseconds);
  QTRY_VERIFY_WITH_TIMEOUT(!texts().contains(QStringLiteral("runs")), deadline_milliseconds);
}

KERNELSCAPE_TEST(FrameWindowTest, QApplication)
#include "frame_window_test.moc"
