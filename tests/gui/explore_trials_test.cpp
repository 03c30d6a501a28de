#include <QCheckBox>
#include <QDockWidget>
#include <QTest>
#include <algorithm>

#include "tests/gui/explore_view_bench.h"
#include "tests/test_program.h"
#include "ui/views/trials/filter_bar.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/trials/trial_table_view.h"

namespace kernelscape::explore_trials_test {
namespace {

using namespace explore_view_tests;

/** Returns the rows of the table in ascending order. */
std::vector<std::int64_t> rows_of(const views::ExploreView& view) {
  const auto rows = view.table()->view().trials().rows();
  std::vector<std::int64_t> found(rows.begin(), rows.end());
  std::ranges::sort(found);
  return found;
}

}  // namespace

/** The table of trials and the pane of the current trial in Explore. */
class ExploreTrialsTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;

 private slots:
  void initTestCase() { session_ = database_.add_session(trial_count, "random"); }

  void the_table_shows_the_selection() {
    Bench bench(database_);
    QVERIFY(bench.open(session_, Distribution));
    QVERIFY(bench.view.table() == nullptr);  // costs nothing before it is asked for
    QPushButton* trials = bench.button(QStringLiteral("Trials"));
    QVERIFY(trials != nullptr && !trials->isChecked());
    QTest::mouseClick(trials, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.table() != nullptr && bench.view.table()->isVisible(),
                             deadline_milliseconds);
    QVERIFY(bench.view.details()->isVisible());
    QVERIFY(!bench.view.table()->filter_bar().isVisible());  // Explore has one above its pages
    QTRY_COMPARE_WITH_TIMEOUT(rows_of(bench.view).size(), static_cast<std::size_t>(trial_count),
                              deadline_milliseconds);
    const std::vector<std::int64_t> chosen{3, 17, 60, 120, 299};
    bench.workspace.set_selection(analysis::RowSet::of(trial_count, chosen));
    QTRY_COMPARE_WITH_TIMEOUT(rows_of(bench.view), chosen, deadline_milliseconds);
    QVERIFY(bench.workspace.set_filters({QStringLiteral("trial < 100")}));
    std::vector<std::int64_t> passing = chosen;
    std::erase_if(passing,
                  [&](std::int64_t row) { return bench.workspace.source()->trials.row(row).number >= 100; });
    QVERIFY(!passing.empty() && passing.size() < chosen.size());
    QTRY_COMPARE_WITH_TIMEOUT(rows_of(bench.view), passing, deadline_milliseconds);
    auto* only_selected = bench.view.table()->findChild<QCheckBox*>();
    QVERIFY(only_selected->isVisible() && only_selected->isChecked());
    only_selected->click();
    QTRY_COMPARE_WITH_TIMEOUT(rows_of(bench.view).size(), std::size_t{100}, deadline_milliseconds);
    only_selected->click();
    QTRY_COMPARE_WITH_TIMEOUT(rows_of(bench.view).size(), passing.size(), deadline_milliseconds);
    bench.workspace.set_selection(analysis::RowSet(trial_count));
    QTRY_COMPARE_WITH_TIMEOUT(rows_of(bench.view).size(), std::size_t{100}, deadline_milliseconds);
    QTest::mouseClick(trials, Qt::LeftButton);
    QVERIFY(!bench.view.table()->isVisible() && !bench.view.details()->isVisible());
  }

  /** A trial that is deselected in the table stays until the selection changes elsewhere. */
  void clicks_in_the_table_meet_the_trial_under_the_pointer() {
    Bench bench(database_);
    QVERIFY(bench.open(session_, Distribution));
    QTest::mouseClick(bench.button(QStringLiteral("Trials")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.table() != nullptr && bench.view.table()->isVisible(),
                             deadline_milliseconds);
    views::TrialTableView& table = bench.view.table()->view();
    const auto click = [&table](int position, Qt::KeyboardModifiers modifiers) {
      const QModelIndex index = table.trials().index(position, table.columnAt(8));
      table.scrollTo(index);
      QTest::mouseClick(table.viewport(), Qt::LeftButton, modifiers, table.visualRect(index).center());
    };
    const auto set_of = [](const std::vector<std::int64_t>& rows) {
      return analysis::RowSet::of(trial_count, rows);
    };
    const std::vector<std::int64_t> chosen{3, 17, 60, 120, 299};
    bench.workspace.set_selection(set_of(chosen));
    QTRY_COMPARE_WITH_TIMEOUT(rows_of(bench.view), chosen, deadline_milliseconds);
    click(1, Qt::ControlModifier);
    QCOMPARE(bench.workspace.current_row(), 17);
    QCOMPARE(bench.workspace.selection(), set_of({3, 60, 120, 299}));
    QCOMPARE(rows_of(bench.view), chosen);
    click(3, Qt::ShiftModifier);
    QCOMPARE(bench.workspace.current_row(), 120);
    QCOMPARE(bench.workspace.selection(), set_of({17, 60, 120}));
    QTest::keyClick(&table, Qt::Key_Space);
    QCOMPARE(bench.workspace.selection(), set_of({17, 60}));
    QTest::keyClick(&table, Qt::Key_Space);
    QCOMPARE(bench.workspace.selection(), set_of({17, 60, 120}));
    QCOMPARE(rows_of(bench.view), chosen);
    bench.workspace.set_selection(set_of({60, 61}));
    QCOMPARE(rows_of(bench.view), (std::vector<std::int64_t>{60, 61}));
    // The current trial is not shown: Space must not change it unseen.
    QTest::keyClick(&table, Qt::Key_Space);
    QCOMPARE(bench.workspace.selection(), set_of({60, 61}));
  }

  /** Filters are named as the reason only for trials that do not pass them. */
  void an_empty_table_names_the_reason() {
    Bench bench(database_);
    QVERIFY(bench.open(session_, Distribution));
    QTest::mouseClick(bench.button(QStringLiteral("Trials")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.table() != nullptr, deadline_milliseconds);
    views::TrialTableView& table = bench.view.table()->view();
    const std::int64_t best = bench.workspace.source()->headline.row;
    const std::int64_t other = best == 0 ? 1 : 0;
    QStringList notified;
    connect(&table, &views::TrialTableView::notified, &table,
            [&notified](const QString& text) { notified.append(text); });
    bench.workspace.set_selection(analysis::RowSet::of(trial_count, std::vector<std::int64_t>{other}));
    table.best_trial();
    QVERIFY2(notified.last().contains("selected"), qPrintable(notified.last()));
    QVERIFY2(table.state_text().isEmpty(), qPrintable(table.state_text()));
    const std::int64_t number = bench.workspace.source()->trials.row(other).number;
    QVERIFY(bench.workspace.set_filters({QStringLiteral("trial != %1").arg(number)}));
    QTRY_COMPARE_WITH_TIMEOUT(table.trials().rowCount(), 0, deadline_milliseconds);
    QVERIFY2(table.state_text().startsWith("No selected trial"), qPrintable(table.state_text()));
    QVERIFY(bench.workspace.set_filters({QStringLiteral("trial < 0")}));
    QTRY_VERIFY2_WITH_TIMEOUT(table.state_text().startsWith("No trial passes"),
                              qPrintable(table.state_text()), deadline_milliseconds);
    table.best_trial();
    QVERIFY2(notified.last().contains("filters"), qPrintable(notified.last()));
  }

  void the_pane_shows_the_current_trial() {
    Bench bench(database_);
    QVERIFY(bench.open(session_, Distribution));
    bench.workspace.set_current_row(5);
    QTest::mouseClick(bench.button(QStringLiteral("Trials")), Qt::LeftButton);
    for (const std::int64_t row : {std::int64_t{5}, std::int64_t{8}}) {
      bench.workspace.set_current_row(row);
      QTRY_VERIFY_WITH_TIMEOUT(bench.view.details() != nullptr && bench.view.details()->details() != nullptr,
                               deadline_milliseconds);
      QTRY_COMPARE_WITH_TIMEOUT(bench.view.details()->details()->trial.number,
                                bench.workspace.source()->trials.row(row).number, deadline_milliseconds);
    }
  }

  void closing_the_docks_releases_the_button() {
    Bench bench(database_);
    QPushButton* trials = bench.button(QStringLiteral("Trials"));
    QTest::mouseClick(trials, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(bench.view.table() != nullptr, deadline_milliseconds);
    QVERIFY(trials->isChecked());
    for (QDockWidget* dock : bench.view.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
      dock->close();
    QVERIFY(!trials->isChecked());
  }

  /** The title, the filter bar and the charts count the same trials. */
  void counts_agree_with_the_title() {
    Bench bench(database_);
    QVERIFY(bench.open(session_, Distribution));
    QVERIFY(bench.workspace.set_filters({QStringLiteral("trial < 60")}));
    QTRY_VERIFY_WITH_TIMEOUT(bench.says(QStringLiteral("60 of 300 trials pass the filters; ")),
                             deadline_milliseconds);
    const QList<QLabel*> labels = bench.view.findChild<views::FilterBar*>()->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
      return label->text() == QStringLiteral("60 of 300 trials pass");
    }));
    QVERIFY(bench.workspace.set_filters({}));
    QTRY_VERIFY_WITH_TIMEOUT(!bench.says(QStringLiteral("pass the filters")), deadline_milliseconds);
    QVERIFY(bench.says(QString::fromStdString(bench.workspace.source()->coverage_text())));
  }
};

KERNELSCAPE_TEST(ExploreTrialsTest, QApplication)

}  // namespace kernelscape::explore_trials_test
#include "explore_trials_test.moc"
