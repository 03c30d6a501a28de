#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableWidget>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/models/session_model.h"
#include "ui/style/theme.h"
#include "ui/views/library/comparison_panel.h"
#include "ui/views/library/library_view.h"
#include "ui/views/library/session_differences.h"
#include "ui/views/library/session_panel.h"
#include "ui/views/library/sessions_page.h"
#include "ui/widgets/action_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"

namespace kernelscape::library_sessions_test {
using namespace kernelscape::gui_tests;

namespace {

constexpr int patience_ms = 20'000;

/** The widget with an accessible name below another one. */
template <typename Widget>
Widget* named(const QWidget& inside, const QString& name) {
  for (Widget* widget : inside.findChildren<Widget*>()) {
    if (widget->accessibleName() == name) return widget;
  }
  return nullptr;
}

}  // namespace

/** The library's sessions: found, marked, renamed, compared, deleted and brought back. */
class LibrarySessionsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<views::ActionRegistry> actions_;
  std::unique_ptr<views::LibraryView> view_;
  widgets::LibraryTable* table_ = nullptr;
  std::vector<store::SessionId> remeasured_;

  void show_view();
  QAction& action(const char* id) const;
  void select(const std::vector<store::SessionId>& ids) const;
  int row_of(store::SessionId id) const;
  store::SessionSummary stored(store::SessionId id) const {
    return *store::Store::open(database_->path())->sessions().get(id);
  }

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }
  void init();
  void cleanup();
  void anEmptyDatabaseSaysWhatToDo();
  void theSearchTakesAllWordsOfAllFields();
  void nameTagsAndNoteAreSaved();
  void newsDoNotOverwriteWhatIsWritten();
  void escapeTakesBack();
  void whatASessionRestsOnStandsBesideIt();
  void deletedSessionsComeBack();
  void enterOpens();
  void aDuplicateFillsTheForm();
  void twoSideBySide();
  void differentTasksShareNoChart();
  void theSelectionSurvivesNews();
  void theBestIsMeasuredAgain();
  void actionsFitTheSelection();
  void everyWidgetThatTakesTheFocusHasAName();
};

void LibrarySessionsTest::init() {
  database_ = std::make_unique<Database>();
  remeasured_.clear();
}

void LibrarySessionsTest::cleanup() {
  view_.reset();
  actions_.reset();
  workspace::JobTracker::wait_for_all();
  workspace_.reset();
  database_.reset();
}

void LibrarySessionsTest::show_view() {
  const std::size_t sessions = store::Store::open(database_->path())->sessions().list()->size();
  workspace_ = std::make_unique<workspace::Workspace>(database_->path(), run_scripted);
  actions_ = std::make_unique<views::ActionRegistry>();
  const workspace::Remeasure remeasure = [this](
                                             store::Store&, store::SessionId id, std::optional<std::int64_t>,
                                             const session::StopRequest&) -> Result<measure::Confirmations> {
    remeasured_.push_back(id);
    return measure::Confirmations();
  };
  view_ = std::make_unique<views::LibraryView>(views::ViewContext{*workspace_, *actions_}, remeasure);
  view_->resize(1400, 800);
  view_->show();
  QVERIFY(QTest::qWaitForWindowActive(view_.get()));
  table_ = named<widgets::LibraryTable>(*view_, "Sessions");
  QVERIFY(table_ != nullptr);
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), static_cast<int>(sessions), patience_ms);
}

QAction& LibrarySessionsTest::action(const char* id) const {
  return *actions_->find(QStringLiteral("library.") + QLatin1String(id));
}

int LibrarySessionsTest::row_of(store::SessionId id) const {
  for (int row = 0; row < table_->model()->rowCount(); ++row) {
    if (table_->model()->index(row, 0).data(models::SessionModel::SessionIdRole).toLongLong() == id)
      return row;
  }
  return -1;
}

/** With the mouse, as a user does. */
void LibrarySessionsTest::select(const std::vector<store::SessionId>& ids) const {
  Qt::KeyboardModifiers modifiers = Qt::NoModifier;
  for (const store::SessionId id : ids) {
    const QRect cell =
        table_->visualRect(table_->model()->index(row_of(id), models::SessionModel::TaskColumn));
    QTest::mouseClick(table_->viewport(), Qt::LeftButton, modifiers, cell.center());
    modifiers = Qt::ControlModifier;
  }
  QCOMPARE(table_->selected_rows().size(), ids.size());
}

void LibrarySessionsTest::anEmptyDatabaseSaysWhatToDo() {
  QVERIFY(store::Store::open(database_->path()));
  show_view();
  auto* empty = view_->findChild<views::SessionsPage*>()->findChild<widgets::EmptyState*>();
  QVERIFY(empty->isVisible());
  QVERIFY(!table_->isVisible());
  QSignalSpy wanted(view_.get(), &views::View::view_requested);
  emit empty->action_triggered();
  QCOMPARE(wanted.count(), 1);
  QCOMPARE(wanted[0][0].toString(), QStringLiteral("Tune"));
}

void LibrarySessionsTest::theSearchTakesAllWordsOfAllFields() {
  const store::SessionId first = database_->add_session(20, "random", "resnet18/C6");
  const store::SessionId second = database_->add_session(20, "ga", "resnet18/C2");
  {
    store::Store store = *store::Store::open(database_->path());
    const std::vector<std::string> tags{"Baseline"};
    QVERIFY(store.sessions().set_tags(first, tags));
    QVERIFY(store.sessions().set_note(second, "slow on Tuesdays"));
  }
  show_view();
  view_->focus_filter();
  auto* search = named<QLineEdit>(*view_, "Search sessions");
  QVERIFY(search->hasFocus());
  const auto found = [&](const char* words) {
    search->clear();
    QTest::keyClicks(search, QString::fromLatin1(words));
    std::set<store::SessionId> ids;
    for (int row = 0; row < table_->model()->rowCount(); ++row)
      ids.insert(table_->model()->index(row, 0).data(models::SessionModel::SessionIdRole).toLongLong());
    return ids;
  };
  QVERIFY(found("c6") == std::set{first});
  QVERIFY(found("GA resnet18") == std::set{second});
  QVERIFY(found("baseline random") == std::set{first});
  QVERIFY(found("tuesdays") == std::set{second});
  QVERIFY(found("resnet18") == (std::set{first, second}));
  QVERIFY(found("tuesdays baseline").empty());
  auto* empty = view_->findChild<views::SessionsPage*>()->findChild<widgets::EmptyState*>();
  QVERIFY(empty->isVisible());
  emit empty->action_triggered();
  QVERIFY(search->text().isEmpty());
  QCOMPARE(table_->model()->rowCount(), 2);
  QVERIFY(table_->isVisible());
}

void LibrarySessionsTest::nameTagsAndNoteAreSaved() {
  const store::SessionId id = database_->add_session(20);
  show_view();
  select({id});
  QTest::keyClick(table_, Qt::Key_F2);
  auto* name = named<QLineEdit>(*view_, "Name of the session");
  QTRY_VERIFY(name->hasFocus());
  QTest::keyClicks(name, "my best one");
  QTest::keyClick(name, Qt::Key_Return);
  QCOMPARE(QString::fromStdString(stored(id).record.name), QStringLiteral("my best one"));

  auto* tags = named<QLineEdit>(*view_, "Tags, separated by commas");
  tags->setFocus();
  QTest::keyClicks(tags, " fast,  two words ,,fast");
  QTest::keyClick(tags, Qt::Key_Return);
  const std::vector<std::string> expected{"fast", "two words"};
  QVERIFY(stored(id).annotation.tags == expected);

  auto* note = named<QPlainTextEdit>(*view_, "Note");
  note->setFocus();
  QTest::keyClicks(note, "first line");
  QTest::keyClick(note, Qt::Key_Return);
  QTest::keyClicks(note, "second");
  table_->setFocus();
  QCOMPARE(QString::fromStdString(stored(id).annotation.note), QStringLiteral("first line\nsecond"));
  QTRY_COMPARE_WITH_TIMEOUT(
      table_->model()->index(row_of(id), models::SessionModel::TagsColumn).data().toString(),
      QStringLiteral("fast, two words"), patience_ms);
}

void LibrarySessionsTest::newsDoNotOverwriteWhatIsWritten() {
  const store::SessionId id = database_->add_session(20);
  show_view();
  select({id});
  auto* note = named<QPlainTextEdit>(*view_, "Note");
  note->setFocus();
  QTest::keyClicks(note, "half a sentence");
  store::Store store = *store::Store::open(database_->path());
  QVERIFY(store.sessions().set_name(id, "renamed elsewhere"));
  QTRY_COMPARE_WITH_TIMEOUT(named<QLineEdit>(*view_, "Name of the session")->text(),
                            QStringLiteral("renamed elsewhere"), patience_ms);
  QCOMPARE(note->toPlainText(), QStringLiteral("half a sentence"));
  QVERIFY(note->hasFocus());
}

void LibrarySessionsTest::escapeTakesBack() {
  const store::SessionId id = database_->add_session(20);
  show_view();
  select({id});
  action("rename").trigger();
  auto* name = named<QLineEdit>(*view_, "Name of the session");
  const QString before = name->text();
  QTest::keyClicks(name, "nonsense");
  QTest::keyClick(name, Qt::Key_Escape);
  QCOMPARE(name->text(), before);
  table_->setFocus();
  QCOMPARE(QString::fromStdString(stored(id).record.name), before);
}

void LibrarySessionsTest::deletedSessionsComeBack() {
  std::vector<store::SessionId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(database_->add_session(10));
  show_view();
  workspace_->open_session(ids[0]);
  select({ids[0], ids[1]});
  QTest::keyClick(table_, Qt::Key_Delete);
  auto* bar = named<widgets::ActionBar>(*view_, "Deleted sessions");
  QVERIFY(bar->isVisible());
  QCOMPARE(bar->text(), QStringLiteral("Deleted 2 sessions"));
  QVERIFY(!workspace_->opened());
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), 1, patience_ms);
  QVERIFY(stored(ids[0]).annotation.trashed);

  select({ids[2]});
  QTest::keyClick(table_, Qt::Key_Delete);
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), 0, patience_ms);
  // The last first.
  action("undo_delete").trigger();
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), 1, patience_ms);
  QTest::keyClick(table_, Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), 3, patience_ms);
  QVERIFY(!action("undo_delete").isEnabled());
  for (const store::SessionId id : ids) QVERIFY(!stored(id).annotation.trashed);
}

void LibrarySessionsTest::whatASessionRestsOnStandsBesideIt() {
  const store::SessionId quiet = database_->add_session(20);
  const store::SessionId loaded = database_->add_session(20);
  QVERIFY(
      store::Store::open(database_->path())->notices().add(loaded, {"machine", "the machine was loaded", 0}));
  show_view();
  const auto disturbed = [this](store::SessionId id) {
    return table_->model()
        ->index(row_of(id), models::SessionModel::BestColumn)
        .data(models::SessionModel::DisturbedRole);
  };
  QTRY_VERIFY_WITH_TIMEOUT(disturbed(loaded).toBool(), patience_ms);
  QVERIFY(!disturbed(quiet).toBool());
  select({loaded});
  auto* warning = named<QLabel>(*view_, "Disturbances");
  QVERIFY(warning != nullptr && warning->isVisible());
  QCOMPARE(warning->text(), QStringLiteral("The machine was loaded."));
  for (const char* fact : {"Warnings", "Compiler", "Threads", "Device"}) {
    auto* value = named<QLabel>(*view_, QLatin1String(fact));
    QVERIFY2(value != nullptr && !value->text().isEmpty(), fact);
  }
  select({quiet});
  QVERIFY(!warning->isVisible());
  // Deleted and brought back it says the same.
  select({loaded});
  action("delete").trigger();
  QTRY_COMPARE_WITH_TIMEOUT(row_of(loaded), -1, patience_ms);
  action("undo_delete").trigger();
  QTRY_VERIFY_WITH_TIMEOUT(row_of(loaded) >= 0, patience_ms);
  QVERIFY(disturbed(loaded).toBool());
}

void LibrarySessionsTest::enterOpens() {
  const store::SessionId id = database_->add_session(10);
  show_view();
  select({id});
  QSignalSpy wanted(view_.get(), &views::View::view_requested);
  QTest::keyClick(table_, Qt::Key_Return);
  QVERIFY(workspace_->opened() == id);
  QCOMPARE(wanted.back()[0].toString(), QStringLiteral("Tune"));
  action("explore").trigger();
  QCOMPARE(wanted.back()[0].toString(), QStringLiteral("Explore"));
  QSignalSpy exported(view_.get(), &views::View::export_requested);
  view_->export_current();
  QCOMPARE(exported.count(), 1);
}

void LibrarySessionsTest::aDuplicateFillsTheForm() {
  const store::SessionId id = database_->add_session(10, "ga", "resnet18/C2");
  show_view();
  select({id});
  session::TuningRequest request;
  int requests = 0;
  connect(view_.get(), &views::View::run_requested, this, [&](const session::TuningRequest& made) {
    request = made;
    ++requests;
  });
  action("duplicate").trigger();
  QTRY_COMPARE_WITH_TIMEOUT(requests, 1, patience_ms);
  QCOMPARE(request.tuner, std::string("ga"));
  QCOMPARE(request.task, std::string("resnet18/C2"));
  QCOMPARE(request.budget.trials, 10);
  QVERIFY(request.seed == std::uint64_t(7));
}

void LibrarySessionsTest::twoSideBySide() {
  const store::SessionId first = database_->add_session(30, "random");
  const store::SessionId second = database_->add_session(40, "ga");
  show_view();
  select({second, first});
  action("side_by_side").trigger();
  auto* panel = view_->findChild<views::ComparisonPanel*>();
  QVERIFY(panel->isVisible());
  auto* table = panel->findChild<QTableWidget*>();
  QTRY_VERIFY_WITH_TIMEOUT(table->rowCount() > 0, patience_ms);
  auto* chart = panel->findChild<charts::ProgressChart*>();
  QCOMPARE(chart->data().session, first);
  QCOMPARE(chart->data().ghosts.size(), std::size_t(1));
  QCOMPARE(chart->data().ghosts[0].trials, 40.0);
  QVERIFY(chart->notice().isEmpty());
  const auto cells = [&](const char* what) {
    for (int row = 0; row < table->rowCount(); ++row) {
      if (table->item(row, 1)->text() == QLatin1String(what))
        return QStringList{table->item(row, 0)->text(), table->item(row, 2)->text(),
                           table->item(row, 3)->text()};
    }
    return QStringList();
  };
  QCOMPARE(cells("tuner"), (QStringList{"\u2260", "random", "ga"}));
  QCOMPARE(cells("trials"), (QStringList{"\u2260", "30", "40"}));
  QCOMPARE(cells("task"), (QStringList{"", "resnet18/C6", "resnet18/C6"}));
  QTest::mouseClick(named<QAbstractButton>(*panel, "Close the comparison"), Qt::LeftButton);
  QVERIFY(!panel->isVisible());
}

void LibrarySessionsTest::differentTasksShareNoChart() {
  const store::SessionId first = database_->add_session(10, "random", "resnet18/C6");
  const store::SessionId second = database_->add_session(10, "random", "resnet18/C2");
  show_view();
  select({first, second});
  action("side_by_side").trigger();
  auto* chart = view_->findChild<views::ComparisonPanel*>()->findChild<charts::ProgressChart*>();
  QTRY_VERIFY_WITH_TIMEOUT(!chart->notice().isEmpty(), patience_ms);
  QVERIFY(chart->data().ghosts.empty());
  // Of one task again: the notice goes.
  const store::SessionId third = database_->add_session(10, "ga", "resnet18/C2");
  QTRY_VERIFY_WITH_TIMEOUT(row_of(third) >= 0, patience_ms);
  select({second, third});
  action("side_by_side").trigger();
  QTRY_COMPARE_WITH_TIMEOUT(chart->data().ghosts.size(), std::size_t(1), patience_ms);
  QVERIFY(chart->notice().isEmpty());
}

void LibrarySessionsTest::theSelectionSurvivesNews() {
  const store::SessionId id = database_->add_session(10);
  database_->add_session(10);
  show_view();
  select({id});
  database_->add_session(10);
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), 3, patience_ms);
  QCOMPARE(table_->selected_rows(), std::vector<int>{row_of(id)});
}

void LibrarySessionsTest::theBestIsMeasuredAgain() {
  const store::SessionId id = database_->add_session(10);
  show_view();
  select({id});
  action("measure_again").trigger();
  QVERIFY(!action("measure_again").isEnabled());
  auto* bar = named<widgets::ActionBar>(*view_, "Measuring the best again");
  QVERIFY(bar->isVisible());
  QTRY_VERIFY_WITH_TIMEOUT(bar->text().contains("was measured again"), patience_ms);
  QCOMPARE(remeasured_, std::vector<store::SessionId>{id});
  QVERIFY(action("measure_again").isEnabled());
}

void LibrarySessionsTest::actionsFitTheSelection() {
  const store::SessionId first = database_->add_session(10);
  const store::SessionId second = database_->add_session(10);
  session::Setup client = session_tests::make_setup("random", 3, 10, 5);
  client.template_name.clear();  // as if a client of ask-tell had measured the trials
  const store::SessionId measured_by_client = database_->add_session(client);
  show_view();
  for (const char* id : {"open", "side_by_side", "join", "delete", "undo_delete", "resume"})
    QVERIFY2(!action(id).isEnabled(), id);
  select({first});
  QVERIFY(action("open").isEnabled() && action("delete").isEnabled() && !action("side_by_side").isEnabled());
  // Its budget is used up: the session can be resumed after a larger budget was entered, one at a time.
  QVERIFY(action("resume").isEnabled());
  select({measured_by_client});
  QVERIFY(action("open").isEnabled() && !action("resume").isEnabled());
  select({first, second});
  QVERIFY(!action("resume").isEnabled());
  QVERIFY(!action("open").isEnabled() && action("delete").isEnabled() && action("side_by_side").isEnabled());
  QVERIFY(action("join").isEnabled());
  view_->hide();
  QVERIFY(!action("delete").isEnabled());
}

void LibrarySessionsTest::everyWidgetThatTakesTheFocusHasAName() {
  const store::SessionId id = database_->add_session(10);
  show_view();
  select({id});
  for (const QWidget* widget : view_->findChildren<QWidget*>()) {
    if ((widget->focusPolicy() & Qt::TabFocus) == 0 || !widget->isVisible()) continue;
    if (qobject_cast<const QAbstractItemView*>(widget->parentWidget()) != nullptr) continue;
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    const bool spoken =
        !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
    // Tab bars speak their tabs.
    QVERIFY2(spoken || widget->inherits("QTabBar"), widget->metaObject()->className());
  }
}

KERNELSCAPE_TEST(LibrarySessionsTest, QApplication)

}  // namespace kernelscape::library_sessions_test
#include "library_sessions_test.moc"
