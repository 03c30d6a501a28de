#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/filter/filter.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/session/preparation.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/style/theme.h"
#include "ui/views/trials/configuration_text.h"
#include "ui/views/trials/trial_export.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::trials_table_test {

class TrialsTableTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    style::apply_theme(*qApp, style::ThemeChoice::Light);
    session_ = database_.add_session(200);
  }

  void init() {
    workspace_ = std::make_unique<workspace::Workspace>(database_.path());
    show_panel();
    QVERIFY(gui_tests::open_and_wait(*workspace_, session_));
    QTRY_COMPARE(view_->trials().rowCount(), 200);
    view_->setFocus();
  }

  void cleanup() {
    panel_.reset();
    workspace_.reset();
  }

  void a_click_makes_a_trial_current_and_back() {
    click(4);
    QCOMPARE(workspace_->current_row(), 4);
    workspace_->set_current_row(150);
    QCOMPARE(view_->currentIndex().row(), 150);
    QVERIFY(view_->viewport()->rect().contains(view_->visualRect(view_->currentIndex())));
    QVERIFY(workspace_->add_filter("trial < 100"));
    QVERIFY(!view_->currentIndex().isValid());
    QCOMPARE(workspace_->current_row(), 150);
    QVERIFY(workspace_->set_filters({}));
    QCOMPARE(view_->currentIndex().row(), 150);
  }

  void keys_walk_the_shown_order() {
    sort_by("gflops", Qt::DescendingOrder);
    click(2);
    QTest::keyClick(view_, Qt::Key_J);
    QCOMPARE(workspace_->current_row(), view_->trials().row_at(3));
    QTest::keyClick(view_, Qt::Key_K);
    QTest::keyClick(view_, Qt::Key_K);
    QCOMPARE(workspace_->current_row(), view_->trials().row_at(1));
    QTest::keyClick(view_, Qt::Key_Down);
    QCOMPARE(workspace_->current_row(), view_->trials().row_at(2));
    QTest::keyClick(view_, Qt::Key_End);
    QCOMPARE(workspace_->current_row(), view_->trials().row_at(199));
    QTest::keyClick(view_, Qt::Key_J);
    QCOMPARE(workspace_->current_row(), view_->trials().row_at(199));
    QTest::keyClick(view_, Qt::Key_B);
    QCOMPARE(workspace_->current_row(), workspace_->source()->headline.row);
    QTest::keyClick(view_, Qt::Key_Home);
    QCOMPARE(workspace_->current_row(), view_->trials().row_at(0));
  }

  void header_clicks_sort_the_fastest_first_and_back() {
    const int column = column_of("gflops");
    QHeaderView* header = view_->horizontalHeader();
    const auto click_header = [&] {
      const QPoint place(header->sectionViewportPosition(column) + header->sectionSize(column) / 2,
                         header->height() / 2);
      QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, place);
    };
    click_header();
    QCOMPARE(view_->trials().order(), (analysis::RowOrder{static_cast<std::size_t>(column), false}));
    QCOMPARE(view_->trials().row_at(0), workspace_->source()->headline.row);
    QCOMPARE(header->sortIndicatorSection(), column);
    click_header();
    QCOMPARE(view_->trials().order(), (analysis::RowOrder{static_cast<std::size_t>(column), true}));
    click_header();
    QVERIFY(!view_->trials().order());
    QCOMPARE(view_->trials().row_at(0), 0);
  }

  void the_current_trial_stays_while_the_header_is_used() {
    click(3);
    workspace_->set_current_row(120);
    QHeaderView* header = view_->horizontalHeader();
    for (const char* name : {"gflops", "gflops", "gflops", "ms", "trial"}) {
      const int column = column_of(name);
      const QPoint place(header->sectionViewportPosition(column) + header->sectionSize(column) / 2,
                         header->height() / 2);
      QTest::mousePress(header->viewport(), Qt::LeftButton, {}, place);
      QTest::mouseMove(header->viewport(), place + QPoint(1, 0));
      QTest::mouseRelease(header->viewport(), Qt::LeftButton, {}, place);
      QCOMPARE(workspace_->current_row(), 120);
      QCOMPARE(view_->trials().row_at(view_->currentIndex().row()), 120);
      QVERIFY(workspace_->selection().none());
    }
  }

  void ctrl_and_shift_change_the_selected_set() {
    sort_by("ms", Qt::AscendingOrder);
    click(1, Qt::ControlModifier);
    click(5, Qt::ControlModifier);
    const auto row = [&](int position) { return view_->trials().row_at(position); };
    QCOMPARE(workspace_->selection(), set_of({row(1), row(5)}));
    click(5, Qt::ControlModifier);
    QCOMPARE(workspace_->selection(), set_of({row(1)}));
    click(3);
    QCOMPARE(workspace_->selection(), set_of({row(1)}));
    click(6, Qt::ShiftModifier);
    QCOMPARE(workspace_->selection(), set_of({row(3), row(4), row(5), row(6)}));
    click(2, Qt::ShiftModifier);
    QCOMPARE(workspace_->selection(), set_of({row(2), row(3)}));
    QTest::keyClick(view_, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(workspace_->selection(), set_of({row(3)}));
    QTest::keyClick(view_, Qt::Key_Space);
    QVERIFY(workspace_->selection().none());
    QVERIFY(workspace_->add_filter("batch < 1"));
    QTest::keyClick(view_, Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(workspace_->selection(), *workspace_->filtered());
  }

  void a_row_keeps_its_place_while_trials_arrive() {
    gui_tests::Database database;
    const store::SessionId growing = database.add_session(100);
    panel_.reset();
    workspace_ = std::make_unique<workspace::Workspace>(database.path());
    show_panel();
    QVERIFY(gui_tests::open_and_wait(*workspace_, growing));
    QTRY_COMPARE(view_->trials().rowCount(), 100);
    sort_by("ms", Qt::AscendingOrder);
    view_->verticalScrollBar()->setValue(30);
    const std::int64_t top = view_->trials().row_at(30);
    workspace_->set_current_row(view_->trials().row_at(33));
    QCOMPARE(view_->verticalScrollBar()->value(), 30);
    grow(database, growing, 60);
    QVERIFY(view_->trials().position_of(top) > 30);
    QCOMPARE(view_->currentIndex().row() - view_->verticalScrollBar()->value(), 3);

    // In order of arrival, following stays at the end until the user scrolls.
    view_->trials().set_order(std::nullopt);
    QTest::keyClick(view_, Qt::Key_F);
    QVERIFY(view_->following());
    QScrollBar& bar = *view_->verticalScrollBar();
    QCOMPARE(bar.value(), bar.maximum());
    grow(database, growing, 25);
    QCOMPARE(bar.value(), bar.maximum());
    bar.triggerAction(QAbstractSlider::SliderPageStepSub);
    QVERIFY(!view_->following());
    const int place = bar.value();
    grow(database, growing, 25);
    QCOMPARE(bar.value(), place);
  }

  void columns_are_chosen_and_kept() {
    const QStringList wanted{"error", "trial", "tile_oc", "tile_oc[0]"};
    QSignalSpy changed(panel_.get(), &views::TrialTablePanel::visible_columns_changed);
    panel_->set_visible_columns(wanted);
    QCOMPARE(panel_->visible_columns(), wanted);
    QCOMPARE(changed.count(), 0);
    QMenu menu;
    view_->fill_column_menu(menu);
    const QList<QAction*> actions = menu.actions();
    const auto action = std::ranges::find(actions, QStringLiteral("build (s)"), &QAction::text);
    QVERIFY(!(*action)->isChecked());
    (*action)->trigger();
    QCOMPARE(panel_->visible_columns(), wanted + QStringList{"build_s"});
    QCOMPARE(changed.count(), 1);
    // Names of another space: what it does not have is left out; if nothing is left, the usual ones come.
    panel_->set_visible_columns({"no such knob", "ms"});
    QCOMPARE(panel_->visible_columns(), QStringList{"ms"});
    panel_->set_visible_columns({"no such knob"});
    QVERIFY(panel_->visible_columns().contains("tile_oc"));
    QVERIFY(panel_->visible_columns().contains("gflops"));
  }

  void copied_rows_are_in_the_c_locale() {
    panel_->set_visible_columns({"trial", "gflops", "tile_oc", "error"});
    sort_by("trial", Qt::DescendingOrder);
    workspace_->set_selection(set_of({2, 7}));
    QTest::keyClick(view_, Qt::Key_C, Qt::ControlModifier);
    const workspace::SourceData& source = *workspace_->source();
    std::string expected = "trial\tgflops\ttile_oc\terror\n";
    std::vector<std::int64_t> rows{2, 7};
    std::ranges::sort(rows, std::greater(), [&](std::int64_t row) { return source.trials.row(row).number; });
    for (const std::int64_t row : rows) {
      std::vector<std::string> cells;
      for (const char* name : {"trial", "gflops", "tile_oc", "error"})
        cells.push_back(source.columns().text(source.trials, row, *source.columns().find(name)));
      expected += base::join(cells, "\t") + "\n";
    }
    QCOMPARE(QGuiApplication::clipboard()->text().toStdString(), expected);
  }

  void a_file_holds_what_is_shown() {
    QTemporaryDir folder;
    const workspace::Source& source = workspace_->source();
    const std::vector<std::int64_t> rows{9, 3, 12};
    const std::vector<std::string> names{"trial", "ms", "error"};
    const auto path = [&](const char* name) {
      return std::filesystem::path(folder.filePath(QLatin1String(name)).toStdString());
    };
    QVERIFY(*views::export_trials({source, rows, names, path("trials.json")}, [] { return true; }));
    const auto objects = nlohmann::json::parse(*base::read_text_file(path("trials.json"), 1 << 20));
    QCOMPARE(objects.size(), std::size_t{3});
    for (std::size_t place = 0; place < rows.size(); ++place) {
      const trial::Row row = source->trials.row(rows[place]);
      QCOMPARE(objects[place]["trial"].get<std::int64_t>(), row.number);
      QCOMPARE(objects[place]["error"].get<std::string>(), std::string(trial::to_string(row.category)));
      QCOMPARE(objects[place]["ms"].is_null(), row.category != trial::ErrorCategory::NoError);
      if (!objects[place]["ms"].is_null())
        QCOMPARE(objects[place]["ms"].get<double>(), row.median_seconds * 1e3);
    }
    QVERIFY(*views::export_trials({source, rows, names, path("trials.csv")}, [] { return true; }));
    const auto lines = base::split_text(*base::read_text_file(path("trials.csv"), 1 << 20), '\n');
    QCOMPARE(lines.size(), std::size_t{5});
    QVERIFY(lines[1].starts_with(std::to_string(source->trials.row(9).number) + ","));
    QCOMPARE(*views::export_trials({source, rows, names, path("stopped.csv")}, [] { return false; }), false);
    QVERIFY(!std::filesystem::exists(path("stopped.csv")));
    QVERIFY(!views::export_trials({source, rows, names, path("no/such/folder.csv")}, [] { return true; }));
  }

  void a_command_line_asks_for_this_configuration_alone() {
    const Result<session::TuningRequest> request = views::request_of_trial(*workspace_->source(), 17);
    QVERIFY(request);
    const store::Store store = *store::Store::open(database_.path());
    const Result<session::PreparedTuning> tuning = session::prepare_tuning(*request, store);
    QVERIFY2(tuning, tuning ? "" : describe(tuning.error()).c_str());
    const auto members = tuning->setup.space.member_count();
    QVERIFY(members.has_value());
    QVERIFY(*members == 1);
    QVERIFY(tuning->setup.space.contains(workspace_->source()->trials.configuration(17)));
    QVERIFY(
        views::command_line_of_trial(*workspace_->source(), 17)->starts_with("kernelscape tune resnet18/C6"));
  }

  void the_context_menu_filters_to_a_value() {
    panel_->set_visible_columns({"error", "batch"});
    workspace_->set_current_row(5);
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(), QPoint());
    QCoreApplication::sendEvent(view_->viewport(), &event);
    const auto menus = view_->findChildren<QMenu*>();
    QCOMPARE(menus.size(), 1);
    QAction* filter = nullptr;
    for (QAction* action : menus[0]->actions())
      if (action->text().startsWith("Filter to")) filter = filter ? filter : action;
    QVERIFY(filter);
    filter->trigger();
    QCOMPARE(workspace_->filters().size(), 1);
    QVERIFY(workspace_->filtered()->test(5));
    QVERIFY(workspace_->filtered()->count() < 200);
    menus[0]->close();
  }

  void the_context_menu_rounds_what_it_filters_to() {
    panel_->set_visible_columns({"gflops"});
    const std::int64_t best = workspace_->source()->headline.row;
    workspace_->set_current_row(best);
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(), QPoint());
    QCoreApplication::sendEvent(view_->viewport(), &event);
    QMenu* menu = view_->findChildren<QMenu*>().value(0);
    QVERIFY(menu != nullptr);
    int filters = 0;
    QAction* equal = nullptr;
    for (QAction* action : menu->actions()) {
      if (!action->text().startsWith("Filter to")) continue;
      ++filters;
      if (action->text().contains(" = ")) equal = action;
      const QString number = action->text().section(QLatin1Char(' '), -1);
      QVERIFY2(number.size() <= 6, qPrintable(action->text()));
    }
    QCOMPARE(filters, 3);
    // Exactly that trial passes all the same.
    equal->trigger();
    QVERIFY(workspace_->filtered()->test(best));
    QCOMPARE(workspace_->filtered()->count(), 1);
    menu->close();
  }

  void every_focusable_widget_has_a_name() {
    for (const QWidget* widget : panel_->findChildren<QWidget*>()) {
      const bool inner = qobject_cast<const QScrollBar*>(widget) || widget->objectName().startsWith("qt_");
      if ((widget->focusPolicy() & Qt::TabFocus) != 0 && !inner)
        QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
    }
  }

 private:
  void show_panel() {
    panel_ = std::make_unique<views::TrialTablePanel>(*workspace_);
    view_ = &panel_->view();
    panel_->resize(1000, 500);
    panel_->show();
    QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
  }
  int column_of(const char* name) const {
    return static_cast<int>(*workspace_->source()->columns().find(name));
  }
  void sort_by(const char* name, Qt::SortOrder order) { view_->trials().sort(column_of(name), order); }
  void click(int position, Qt::KeyboardModifiers modifiers = {}) {
    const QModelIndex index = view_->trials().index(position, column_of("trial"));
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, modifiers, view_->visualRect(index).center());
  }
  analysis::RowSet set_of(std::vector<std::int64_t> rows) const {
    return analysis::RowSet::of(workspace_->source()->trials.size(), rows);
  }
  void grow(const gui_tests::Database& database, store::SessionId session, std::int64_t count) {
    const std::int64_t wanted = workspace_->source()->trials.size() + count;
    database.append_trials(session, count);
    workspace_->watch().refresh();
    QTRY_COMPARE_WITH_TIMEOUT(workspace_->source()->trials.size(), wanted, 20'000);
    QTRY_COMPARE(view_->trials().rowCount(), static_cast<int>(wanted));
  }

  gui_tests::Database database_;
  store::SessionId session_ = 0;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<views::TrialTablePanel> panel_;
  views::TrialTableView* view_ = nullptr;
};

KERNELSCAPE_TEST(TrialsTableTest, QApplication)

}  // namespace kernelscape::trials_table_test
#include "trials_table_test.moc"
