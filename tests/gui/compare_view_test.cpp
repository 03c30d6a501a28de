#include "ui/views/compare/compare_view.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/analysis/comparison/comparison_table.h"
#include "core/study/execution.h"
#include "tests/gui/study_gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/mean_rank_chart.h"
#include "ui/charts/bars/phase_chart.h"
#include "ui/charts/curves/member_share_chart.h"
#include "ui/charts/curves/speed_up_chart.h"
#include "ui/charts/row.h"
#include "ui/charts/small_multiples.h"
#include "ui/views/compare/arm_legend.h"
#include "ui/views/compare/bundled_studies_menu.h"
#include "ui/views/compare/compared_runs_page.h"
#include "ui/views/compare/comparison_table_panel.h"
#include "ui/views/compare/study_dialog.h"
#include "ui/views/compare/verdict_panel.h"
#include "ui/widgets/empty_state.h"

namespace kernelscape::compare_view_test {
namespace {

constexpr int deadline_milliseconds = 60'000;

struct Bench {
  explicit Bench(const gui_tests::Database& database) : workspace(database.path(), gui_tests::run_scripted) {
    view.resize(1180, 700);
    view.show();
  }
  /** A job may use the view's numbers. */
  ~Bench() { workspace::JobTracker::wait_for_all(); }

  template <typename Widget>
  Widget* one() {
    return view.findChild<Widget*>();
  }
  charts::CompareCurveChart* curves() {
    for (charts::CompareCurveChart* chart : view.findChildren<charts::CompareCurveChart*>())
      if (qobject_cast<charts::SpeedUpChart*>(chart) == nullptr && !chart->title().isEmpty() &&
          chart->title() == QLatin1String("Best so far"))
        return chart;
    return nullptr;
  }
  models::ComparisonModel& rows() { return one<views::ComparisonTablePanel>()->rows(); }
  QComboBox* box(const QString& name) {
    for (QComboBox* box : view.findChildren<QComboBox*>())
      if (box->accessibleName() == name) return box;
    return nullptr;
  }
  QPushButton* button(const QString& text) {
    for (QPushButton* button : view.findChildren<QPushButton*>())
      if (button->text() == text && button->isVisibleTo(&view)) return button;
    return nullptr;
  }
  void choose(const QString& name, int index) {
    box(name)->setCurrentIndex(index);
    emit box(name)->activated(index);
  }
  bool wait_for_rows(int count) {
    return QTest::qWaitFor([&] { return rows().rowCount() == count; }, deadline_milliseconds);
  }
  QString headline() {
    return one<widgets::EmptyState>()->isVisible() ? one<widgets::EmptyState>()->headline() : QString();
  }

  workspace::Workspace workspace;
  views::ActionRegistry actions;
  views::CompareView view{{workspace, actions}};
};

QString cell(models::ComparisonModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

}  // namespace

class CompareViewTest : public QObject {
  Q_OBJECT

 private slots:
  void without_a_study_it_says_what_to_do() {
    const gui_tests::Database database;
    Bench bench(database);
    QCOMPARE(bench.headline(), QStringLiteral("No study yet"));
    QVERIFY(bench.button(QStringLiteral("Run a built-in study")) != nullptr);
    QVERIFY(!bench.button(QStringLiteral("Report..."))->isEnabled());
    QSignalSpy reports(&bench.view, &views::CompareView::report_requested);
    bench.view.export_current();
    QCOMPARE(reports.count(), 0);
    QVERIFY(!bench.view.report_current());  // the window's: of the current source
  }

  void a_stored_study_has_the_rows_of_the_analysis() {
    const gui_tests::Database database;
    const store::StudyId study = gui_tests::add_study(database.path(), gui_tests::small_study());
    Bench bench(database);
    QVERIFY(bench.wait_for_rows(6));
    QCOMPARE(*bench.view.study(), study);
    const analysis::ComparedRuns& runs = *bench.view.snapshot()->runs;
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 1);
    for (int row = 0; row < 6; ++row) {
      const analysis::ComparisonRow& expected = table.rows[static_cast<std::size_t>(row)];
      const analysis::ComparisonRow& shown = bench.rows().row(row);
      QCOMPARE(shown.arm, expected.arm);
      QVERIFY(shown.task == expected.task);
      QCOMPARE(shown.mean_final, expected.mean_final);
      QCOMPARE(cell(bench.rows(), row, models::ComparisonModel::Goal95Column),
               models::goal_text(expected.goals[1], analysis::CompareAxis::Seconds));
    }
    QCOMPARE(cell(bench.rows(), 1, models::ComparisonModel::PColumn), QStringLiteral("baseline"));
    QCOMPARE(cell(bench.rows(), 1, models::ComparisonModel::VerdictColumn), QStringLiteral("baseline"));
    // Two runs against two can never be significant.
    bench.choose(QStringLiteral("Measure that tuners are compared by"), 0);
    const auto tested = [&] { return cell(bench.rows(), 2, models::ComparisonModel::PColumn); };
    QTRY_VERIFY_WITH_TIMEOUT(bench.rows()
                                 .headerData(models::ComparisonModel::VerdictColumn, Qt::Horizontal)
                                 .toString()
                                 .contains(QStringLiteral("final performance")),
                             deadline_milliseconds);
    QVERIFY2(tested() == QStringLiteral("underpowered") || tested() == QStringLiteral("no difference"),
             qPrintable(tested()));
    QVERIFY2(bench.one<views::VerdictPanel>()->text().contains(QStringLiteral("random against grid, final")),
             qPrintable(bench.one<views::VerdictPanel>()->text()));
    QVERIFY(bench.one<charts::MeanRankChart>()->notice().contains(QStringLiteral("Fewer than three tuners")));
    QCOMPARE(bench.one<views::ComparedRunsPage>()->findChild<widgets::LibraryTable*>()->model()->rowCount(),
             8);
    QVERIFY(bench.curves()->accessibleName().contains(QStringLiteral("2 repeats on 2 tasks")));
    const bool known = std::ranges::all_of(runs.tasks, &analysis::ComparedTask::optimum_known);
    QVERIFY(bench.curves()->accessibleName().contains(known ? QStringLiteral("% of optimum")
                                                            : QStringLiteral("% of best found")));
    QSignalSpy reports(&bench.view, &views::CompareView::report_requested);
    bench.view.export_current();
    QCOMPARE(reports[0][0].toLongLong(), study);
    QVERIFY(bench.view.report_current());
    QCOMPARE(reports[1][0].toLongLong(), study);
  }

  void shares_of_members_stand_there_where_a_tuner_reported_some() {
    const gui_tests::Database database;
    const store::StudyId without =
        gui_tests::add_study(database.path(), gui_tests::small_study("no children"));
    const store::StudyId with =
        gui_tests::add_study(database.path(), gui_tests::small_study("some children"));
    gui_tests::add_member_shares(database.path(), with, 0);
    Bench bench(database);
    bench.view.open_study(without);
    QVERIFY(bench.wait_for_rows(6));
    auto* chart = bench.one<charts::MemberShareChart>();
    QTRY_VERIFY_WITH_TIMEOUT(bench.curves()->isVisible() && !chart->isVisible(), deadline_milliseconds);
    // What is maximised and shown again does not bring it along.
    emit bench.curves()->maximise_requested();
    emit bench.curves()->maximise_requested();
    QVERIFY(bench.one<charts::SpeedUpChart>()->isVisible() && !chart->isVisible());
    bench.view.open_study(with);
    QTRY_VERIFY_WITH_TIMEOUT(chart->isVisible(), deadline_milliseconds);
    QCOMPARE(chart->shown().size(), std::size_t{1});
    QVERIFY(chart->caption().contains(QStringLiteral("grid")));
    // A window that is too narrow for three charts shows one at a time instead of scrolling sideways.
    auto* row = bench.one<charts::Row>();
    QVERIFY(!row->has_tabs());
    bench.view.resize(900, 700);
    QTRY_VERIFY(row->has_tabs());
    QCOMPARE(row->findChild<QTabBar*>()->count(), 3);
    QVERIFY(bench.curves()->isVisible() && !chart->isVisible());
  }

  void choices_reach_charts_and_table() {
    const gui_tests::Database database;
    gui_tests::add_study(database.path(), gui_tests::small_study());
    Bench bench(database);
    QVERIFY(bench.wait_for_rows(6));
    QComboBox* show = bench.box(QStringLiteral("Value of the curves"));
    QCOMPARE(show->count(), 1);
    bench.choose(QStringLiteral("Shown tasks"), 1);
    QVERIFY(bench.wait_for_rows(2));
    QCOMPARE(show->count(), 2);
    bench.choose(QStringLiteral("Value of the curves"), 1);
    QTRY_COMPARE_WITH_TIMEOUT(bench.curves()->y_axis().unit, QStringLiteral("GFLOPS"), deadline_milliseconds);
    const double optimum = bench.view.snapshot()->runs->tasks[0].optimum;
    QCOMPARE(bench.curves()->data().optimum, std::optional(optimum));
    bench.choose(QStringLiteral("Horizontal axis of the curves"), 1);
    QTRY_COMPARE_WITH_TIMEOUT(bench.curves()->x_axis().title, QStringLiteral("trials"),
                              deadline_milliseconds);
    QVERIFY(bench.rows()
                .headerData(models::ComparisonModel::Goal90Column, Qt::Horizontal)
                .toString()
                .contains(QStringLiteral("Trials")));
    bench.choose(QStringLiteral("Baseline for speed-ups and tests"), 0);
    QTRY_COMPARE_WITH_TIMEOUT(cell(bench.rows(), 0, models::ComparisonModel::PColumn),
                              QStringLiteral("baseline"), deadline_milliseconds);
    QCOMPARE(bench.one<charts::SpeedUpChart>()->title(), QStringLiteral("Speed-up over random"));
    // All tasks have no speed in common.
    bench.choose(QStringLiteral("Shown tasks"), 0);
    QVERIFY(bench.wait_for_rows(6));
    QTRY_COMPARE_WITH_TIMEOUT(bench.curves()->y_axis().unit, QStringLiteral("%"), deadline_milliseconds);
  }

  void hidden_arms_and_runs_count_nowhere() {
    const gui_tests::Database database;
    gui_tests::add_study(database.path(), gui_tests::small_study());
    Bench bench(database);
    QVERIFY(bench.wait_for_rows(6));
    const QList<QCheckBox*> boxes = bench.one<views::ArmLegend>()->findChildren<QCheckBox*>();
    QCOMPARE(boxes.size(), 2);
    boxes[0]->click();
    QCOMPARE(bench.rows().rowCount(), 3);
    QCOMPARE(bench.curves()->shown().size(), std::size_t{1});
    QCOMPARE(bench.one<charts::PhaseChart>()->table().rows.size(), std::size_t{1});
    boxes[1]->click();
    QCOMPARE(bench.headline(), QStringLiteral("Every tuner is hidden"));
    bench.button(QStringLiteral("Show all"))->click();
    QCOMPARE(bench.headline(), QString());
    QCOMPARE(bench.rows().rowCount(), 6);

    auto* page = bench.one<views::ComparedRunsPage>();
    auto* table = page->findChild<widgets::LibraryTable*>();
    QVERIFY(table->model()->setData(table->model()->index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
    QCOMPARE(page->hidden().size(), std::size_t{1});
    const auto runs_of = [&](int row) { return bench.rows().row(row).runs; };
    QTRY_COMPARE_WITH_TIMEOUT(runs_of(0) + runs_of(1), std::size_t{7}, deadline_milliseconds);
    QVERIFY(table->model()->setData(table->model()->index(0, 0), Qt::Checked, Qt::CheckStateRole));
    QTRY_COMPARE_WITH_TIMEOUT(runs_of(0) + runs_of(1), std::size_t{8}, deadline_milliseconds);
  }

  void runs_open_in_other_views() {
    const gui_tests::Database database;
    gui_tests::add_study(database.path(), gui_tests::small_study());
    Bench bench(database);
    QVERIFY(bench.wait_for_rows(6));
    bench.view.focus_filter();
    auto* table = bench.one<views::ComparedRunsPage>()->findChild<widgets::LibraryTable*>();
    QVERIFY(!bench.button(QStringLiteral("Open in Tune"))->isEnabled());
    table->selectRow(3);
    QSignalSpy wanted(&bench.view, &views::View::view_requested);
    bench.button(QStringLiteral("Open in Tune"))->click();
    QCOMPARE(wanted[0][0].toString(), QStringLiteral("Tune"));
    QCOMPARE(*bench.workspace.opened(), bench.view.snapshot()->runs->runs[3].session);
  }

  void a_live_study_keeps_zoom_and_choices() {
    const gui_tests::Database database;
    study::Definition definition = gui_tests::small_study();
    definition.budget.trials = 30;
    gui_tests::add_study(database.path(), definition);
    Bench bench(database);
    QVERIFY(bench.wait_for_rows(6));
    bench.curves()->zoom_to({0.5, 2}, {20, 60});
    bench.one<views::ArmLegend>()->findChildren<QCheckBox*>()[0]->click();
    const workspace::StudySnapshotPointer before = bench.view.snapshot();
    // One run has gone on meanwhile.
    const store::SessionId session = before->runs->runs[1].session;
    database.append_trials(session, 40);
    bench.workspace.study_watch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.snapshot() != before, deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
          double most = 0;
          for (const analysis::ComparedRun& run : bench.view.snapshot()->runs->runs)
            most = std::max(most, run.curve.end_trials);
          return most == 70;
        }(),
        deadline_milliseconds);
    QCOMPARE(bench.curves()->x_axis().range, (charts::Interval{0.5, 2}));
    QCOMPARE(bench.curves()->y_axis().range, (charts::Interval{20, 60}));
    QCOMPARE(bench.rows().rowCount(), 3);
  }

  void chosen_sessions_are_compared_without_a_study() {
    const gui_tests::Database database;
    const store::SessionId first = database.add_session(40);
    const store::SessionId second = database.add_session(40, "ga");
    Bench bench(database);
    bench.view.compare_sessions({first, second});
    QVERIFY(bench.wait_for_rows(2));
    QVERIFY(!bench.view.study());
    QVERIFY(!bench.button(QStringLiteral("Report..."))->isEnabled());
    QCOMPARE(bench.box(QStringLiteral("Study"))->currentText(), QStringLiteral("2 chosen sessions"));
  }

  void one_tuner_has_nothing_to_be_compared_with() {
    const gui_tests::Database database;
    study::Definition study = gui_tests::small_study();
    study.arms.resize(1);
    study.tasks.resize(1);
    study.baseline.clear();
    gui_tests::add_study(database.path(), study);
    Bench bench(database);
    QTRY_VERIFY_WITH_TIMEOUT(bench.rows().rowCount() > 0, deadline_milliseconds);
    QTRY_VERIFY(bench.one<charts::SpeedUpChart>()->notice().contains(QStringLiteral("Only one tuner")));
  }

  void a_study_that_is_not_run_yet_can_be_resumed() {
    const gui_tests::Database database;
    {
      store::Store store = *store::Store::open(database.path());
      QVERIFY(study::create_study(store, gui_tests::small_study()));
    }
    Bench bench(database);
    QTRY_COMPARE_WITH_TIMEOUT(bench.headline(), QStringLiteral("No run has begun"), deadline_milliseconds);
    bench.button(QStringLiteral("Resume"))->click();
    QVERIFY(bench.wait_for_rows(6));
    QTRY_COMPARE_WITH_TIMEOUT(bench.view.snapshot()->runs->runs.size(), std::size_t{8},
                              deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(bench.workspace.study_runner().idle(), deadline_milliseconds);
  }

  void a_vanished_study_says_so() {
    const gui_tests::Database database;
    Bench bench(database);
    bench.view.open_study(99);
    QTRY_COMPARE_WITH_TIMEOUT(bench.headline(), QStringLiteral("The study can't be read"),
                              deadline_milliseconds);
  }

  /** What an arm of a study from elsewhere is called would be calculated where it is pasted. */
  void a_copied_table_has_no_formulas() {
    const gui_tests::Database database;
    study::Definition study = gui_tests::small_study();
    study.arms[0].name = "=1+1";
    gui_tests::add_study(database.path(), study);
    Bench bench(database);
    QVERIFY(bench.wait_for_rows(6));
    const QString text = bench.one<views::ComparisonTablePanel>()->selected_text();
    QVERIFY2(text.contains(QLatin1String("\n'=1+1\t")), qPrintable(text));
    QVERIFY2(!text.contains(QLatin1String("\n=")) && !text.contains(QLatin1String("\t=")), qPrintable(text));
  }

  void the_table_is_copied_and_sorted() {
    const gui_tests::Database database;
    gui_tests::add_study(database.path(), gui_tests::small_study());
    Bench bench(database);
    QVERIFY(bench.wait_for_rows(6));
    auto* table = bench.one<views::ComparisonTablePanel>();
    const QStringList lines = table->selected_text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 7);
    QCOMPARE(lines[0].split(QLatin1Char('\t')).size(), int{models::ComparisonModel::column_count});
    QVERIFY(lines[1].startsWith(QStringLiteral("random\tall tasks")));
    table->selectRow(2);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), 2);
    table->sortByColumn(models::ComparisonModel::ShareColumn, Qt::DescendingOrder);
    double before = HUGE_VAL;
    for (int row = 0; row < 6; ++row) {
      const double share = table->model()
                               ->index(row, models::ComparisonModel::ShareColumn)
                               .data(models::ComparisonModel::SortRole)
                               .toDouble();
      QVERIFY(share <= before);
      before = share;
    }
  }

  void the_dialog_checks_while_it_is_filled_in_and_starts() {
    const gui_tests::Database database;
    Bench bench(database);
    views::StudyDialog dialog(bench.workspace);
    QVERIFY(!dialog.isModal());
    QVERIFY(!dialog.study());
    QVERIFY2(dialog.message().contains(QStringLiteral("no tasks")), qPrintable(dialog.message()));
    dialog.set_study(gui_tests::small_study());
    QVERIFY(dialog.study());
    QVERIFY2(dialog.message().startsWith(QStringLiteral("8 runs: 2 tuners x 2 tasks x 2 repeats")),
             qPrintable(dialog.message()));
    QCOMPARE(*dialog.study(), gui_tests::small_study());
    QTRY_VERIFY_WITH_TIMEOUT(
        dialog.plan_text().contains(QStringLiteral("2 against 2 cannot reach significance")),
        deadline_milliseconds);
    QVERIFY(dialog.plan_text().startsWith(QStringLiteral("It cannot decide")));
    auto* tuners = dialog.findChild<QTableWidget*>();
    tuners->item(0, 1)->setText(QStringLiteral("nonsense=3"));
    QVERIFY(!dialog.study());
    QVERIFY(dialog.message().contains(QStringLiteral("nonsense")));
    tuners->item(0, 1)->setText({});
    QSignalSpy created(&dialog, &views::StudyDialog::created);
    dialog.start();
    QTRY_COMPARE_WITH_TIMEOUT(created.count(), 1, deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(bench.workspace.study_runner().idle(), deadline_milliseconds);
    dialog.set_study([] {
      study::Definition study = gui_tests::small_study();
      study.tasks[0].task = "resnet18/C99";
      return study;
    }());
    dialog.start();
    QTRY_VERIFY_WITH_TIMEOUT(dialog.message().contains(QStringLiteral("resnet18/C99")),
                             deadline_milliseconds);
  }

  void a_loaded_study_stays_what_it_was() {
    const gui_tests::Database database;
    Bench bench(database);
    views::StudyDialog dialog(bench.workspace);
    dialog.show();
    auto* tasks = dialog.findChild<QListWidget*>();
    QTRY_VERIFY_WITH_TIMEOUT(tasks->count() > 20, deadline_milliseconds);
    study::Definition study;
    study.name = "another one";
    study.about = "what is asked";
    study.arms = {{"nose", "nose", {}}, {"small ga", "ga", {{"population", "20"}}}, {"ga", "ga", {}}};
    study.baseline = "small ga";
    for (const char* name : {"resnet18/C11", "resnet18/C2", "matmul 64x64 64x64 f32", "resnet18/C6"}) {
      study::Task task;
      task.task = name;
      study.tasks.push_back(task);
    }
    study.repeats = 3;
    study.seed = 99;
    study.budget.patience = 50;
    // Two that differ only in how they are measured.
    study.arms.push_back({"adaptive ga", "ga", {}});
    study.measuring.repeats = 500;
    study.arms.back().measuring = study.measuring;
    study.arms.back().measuring->adaptive_batch = 50;
    dialog.set_study(study);
    QVERIFY2(dialog.study(), qPrintable(dialog.message()));
    QCOMPARE(study::study_to_json(*dialog.study()), study::study_to_json(study));
  }

  void a_tuner_can_be_measured_in_its_own_way() {
    const gui_tests::Database database;
    Bench bench(database);
    views::StudyDialog dialog(bench.workspace);
    dialog.set_study(gui_tests::small_study());
    auto* tuners = dialog.findChild<QTableWidget*>();
    const auto grid = tuners->findItems(QStringLiteral("grid"), Qt::MatchExactly);
    QTableWidgetItem* measuring = tuners->item(grid.front()->row(), 2);
    measuring->setText(QStringLiteral("adaptive_bach=2"));
    QVERIFY2(dialog.message().contains(QStringLiteral("adaptive_batch")), qPrintable(dialog.message()));
    measuring->setText(QStringLiteral("adaptive_batch=50"));
    QVERIFY2(dialog.message().contains(QStringLiteral("more than 150 samples")),
             qPrintable(dialog.message()));
    measuring->setText(QStringLiteral("adaptive_batch=2"));
    const Result<study::Definition> study = dialog.study();
    QVERIFY2(study, qPrintable(dialog.message()));
    const auto arm = std::ranges::find(study->arms, "grid", &study::Arm::tuner);
    QCOMPARE(arm->measuring->adaptive_batch, 2);
    QCOMPARE(arm->name, std::string("grid (adaptive_batch=2)"));
  }

  void settings_of_a_tuner_can_be_read() {
    const gui_tests::Database database;
    Bench bench(database);
    views::StudyDialog dialog(bench.workspace);
    study::Definition study = gui_tests::small_study();
    study.arms[0] = {"many settings",
                     "nose",
                     {{"population", "40"}, {"offspring", "60"}, {"neighbours", "7"}, {"elite", "3"}}};
    dialog.set_study(study);
    dialog.show();
    auto* tuners = dialog.findChild<QTableWidget*>();
    const int row = tuners->findItems(QStringLiteral("nose"), Qt::MatchExactly)[0]->row();
    const int plain = tuners->findItems(QStringLiteral("grid"), Qt::MatchExactly)[0]->row();
    for (const int column : {0, 2, 3}) QTRY_VERIFY(tuners->columnWidth(1) > tuners->columnWidth(column));
    // What its column has no room for stands in further lines, and all of it in the tip.
    tuners->item(row, 1)->setText(tuners->item(row, 1)->text() + QStringLiteral(", mutation=0.25, seed=1") +
                                  QStringLiteral(", batch=30, distance=canberra").repeated(3));
    QTRY_VERIFY(tuners->rowHeight(row) > tuners->rowHeight(plain));
    QVERIFY(tuners->item(row, 1)->toolTip().startsWith(tuners->item(row, 1)->text()));
    QVERIFY(!tuners->item(plain, 1)->toolTip().isEmpty());
    // With more room it needs fewer lines.
    const int narrow = tuners->rowHeight(row);
    dialog.resize(2 * dialog.width(), dialog.height());
    QTRY_VERIFY(tuners->rowHeight(row) < narrow);
  }

  void the_menu_of_bundled_studies_is_short() {
    views::BundledStudiesMenu menu;
    QTRY_VERIFY_WITH_TIMEOUT(menu.actions().size() > 10, deadline_milliseconds);
    const std::vector<std::filesystem::path> files = study::bundled_studies();
    for (const std::filesystem::path& file : files) {
      const study::Definition study = *study::load_study(file);
      const QString name = QString::fromStdString(study.name);
      const QList<QAction*> actions = menu.actions();
      const auto action = std::ranges::find_if(actions, [&](const QAction* entry) {
        const QString text = entry->text().section(QLatin1Char('\t'), 0, 0);
        return text == name || text == name + QStringLiteral("...");
      });
      QVERIFY2(action != actions.end(), qPrintable(name));
      const QString words = (*action)->text().section(QLatin1Char('\t'), 1);
      QVERIFY2(!words.isEmpty() && words.size() <= 20, qPrintable(words));
      if (words.endsWith(QStringLiteral(" runs"))) {
        // As many as there will be, those of controls included.
        study::Definition planned = study;
        study::add_controls(planned);
        const auto runs =
            planned.arms.size() * planned.tasks.size() * static_cast<std::size_t>(planned.repeats);
        QCOMPARE(words.section(QLatin1Char(' '), 0, 0).remove(QLatin1Char(',')).toULongLong(), runs);
      }
      const QString tip = (*action)->toolTip();
      QVERIFY2(tip.simplified().startsWith(QString::fromStdString(study.about).simplified()),
               qPrintable(tip));
      for (const QString& line : tip.split(QLatin1Char('\n'))) QVERIFY2(line.size() < 80, qPrintable(line));
    }
    QVERIFY(menu.toolTipsVisible());
    QVERIFY(menu.sizeHint().width() < 120 * menu.fontMetrics().averageCharWidth());
  }

  void batches_starts_and_controls_are_part_of_a_study() {
    const gui_tests::Database database;
    Bench bench(database);
    views::StudyDialog dialog(bench.workspace);
    study::Definition study = gui_tests::small_study();
    study.arms[0] = {"ga@8", "ga", {}};
    study.arms[0].batch = 8;
    study.paired_starts = true;
    dialog.set_study(study);
    QVERIFY2(dialog.study(), qPrintable(dialog.message()));
    QCOMPARE(study::study_to_json(*dialog.study()), study::study_to_json(study));
    // No tuner searches at random.
    QVERIFY2(dialog.message().contains(QStringLiteral("3 tuners (1 of them random controls)")),
             qPrintable(dialog.message()));
    for (QCheckBox* box : dialog.findChildren<QCheckBox*>()) box->click();
    QVERIFY(!dialog.study()->paired_starts && !dialog.study()->controls);
    QVERIFY(dialog.message().startsWith(QStringLiteral("8 runs: 2 tuners x 2 tasks")));
    auto* tuners = dialog.findChild<QTableWidget*>();
    QTableWidgetItem* batch =
        tuners->item(tuners->findItems(QStringLiteral("ga"), Qt::MatchExactly)[0]->row(), 3);
    QCOMPARE(batch->text(), QStringLiteral("8"));
    batch->setText(QStringLiteral("some"));
    QVERIFY2(dialog.message().contains(QStringLiteral("is not a valid batch")), qPrintable(dialog.message()));
    batch->setText(QStringLiteral(" 16 "));
    const Result<study::Definition> other = dialog.study();
    QVERIFY2(other, qPrintable(dialog.message()));
    const auto arm = std::ranges::find(other->arms, "ga", &study::Arm::tuner);
    QCOMPARE(arm->batch, 16);
    QCOMPARE(arm->name, std::string("ga@16"));
  }

  void everything_that_takes_the_focus_has_a_name() {
    const gui_tests::Database database;
    gui_tests::add_study(database.path(), gui_tests::small_study());
    Bench bench(database);
    QVERIFY(bench.wait_for_rows(6));
    bench.view.new_study();
    int named = 0;
    for (const QWidget* widget : bench.view.findChildren<QWidget*>()) {
      // Not the lists of combo boxes and what else Qt makes for itself.
      const bool own = widget->window()->windowType() != Qt::Popup &&
                       !widget->objectName().startsWith(QLatin1String("qt_"));
      if (widget->focusPolicy() == Qt::NoFocus || widget->isHidden() || !own) continue;
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      const QString name =
          button != nullptr && widget->accessibleName().isEmpty() ? button->text() : widget->accessibleName();
      const bool inner = qobject_cast<const QLineEdit*>(widget) != nullptr &&
                         qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) != nullptr;
      QVERIFY2(!name.isEmpty() || inner,
               qPrintable(QStringLiteral("%1 in %2")
                              .arg(QLatin1String(widget->metaObject()->className()),
                                   QLatin1String(widget->parent()->metaObject()->className()))));
      ++named;
    }
    QVERIFY(named > 20);
    auto* pages = bench.one<QTabWidget>();
    for (int page = 0; page < pages->count(); ++page) {
      pages->setCurrentIndex(page);
      QVERIFY(!bench.view.grab().isNull());
    }
  }
};

KERNELSCAPE_TEST(CompareViewTest, QApplication)

}  // namespace kernelscape::compare_view_test
#include "compare_view_test.moc"
