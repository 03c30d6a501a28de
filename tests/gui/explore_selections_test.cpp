#include <QAbstractItemModelTester>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/gui/explore_bench.h"
#include "tests/test_program.h"
#include "ui/charts/bars/distribution_chart.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/curves/cumulative_chart.h"
#include "ui/charts/landscape/parallel_chart.h"
#include "ui/views/explore/distribution_page.h"
#include "ui/views/explore/errors_page.h"
#include "ui/views/explore/message_model.h"
#include "ui/views/explore/parallel_page.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::explore_selections_test {

using namespace explore_tests;

class ExploreSelectionsTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;

 private slots:
  void initTestCase() { session_ = database_.add_session(trial_count, "random"); }

  void messages_are_counted_and_lead_to_their_first_trial() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    std::map<std::pair<std::int64_t, trial::ErrorCategory>, std::pair<std::int64_t, std::int64_t>> expected;
    for (std::int64_t row = 0; row < bench.trials().size(); ++row) {
      const trial::Row trial = bench.trials().row(row);
      if (trial.category == trial::ErrorCategory::NoError) continue;
      auto& [count, first] = expected.try_emplace({trial.message, trial.category}, 0, row).first->second;
      ++count;
    }
    views::ErrorsPage page(bench.workspace);
    bench.show(page);
    auto* model = page.findChild<views::MessageModel*>();
    const QAbstractItemModelTester tester(model);
    QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), static_cast<int>(expected.size()), deadline_milliseconds);
    auto* table = page.findChild<QTableView*>();
    for (int row = 0; row < model->rowCount(); ++row) {
      const figures::FrequentMessage& message = model->message(row);
      const auto [count, first] = expected.at({message.id, message.category});
      QCOMPARE(message.count, count);
      QVERIFY(row == 0 || model->message(row - 1).count >= message.count);
      table->scrollTo(model->index(row, 0));
      QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                        table->visualRect(model->index(row, views::MessageModel::Count)).center());
      QCOMPARE(bench.workspace.current_row(), first);
      const trial::Trial trial =
          store::Store::open(database_.path()).value().trials().get(session_, message.first_trial).value();
      QCOMPARE(page.findChild<QPlainTextEdit*>()->toPlainText().toStdString(), trial.measurement.message);
    }
  }

  void a_category_is_selected_from_its_bar() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::ErrorsPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<charts::ErrorChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(chart->notice().isEmpty(), deadline_milliseconds);
    for (std::size_t row = 0; row < chart->categories().size(); ++row) {
      QTest::mouseClick(chart, Qt::LeftButton, {}, chart->bars_of(row).first.center().toPoint());
      for (std::int64_t trial = 0; trial < bench.trials().size(); ++trial)
        QCOMPARE(bench.workspace.selection().test(trial),
                 bench.trials().row(trial).category == chart->categories()[row]);
      QVERIFY(bench.passing() == bench.workspace.selection());
    }
  }

  void a_bar_of_the_distribution_selects_its_trials() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::DistributionPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<charts::DistributionChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().histogram.counts.empty(), deadline_milliseconds);
    const analysis::Histogram histogram = chart->data().histogram;
    const charts::PlotFrame frame = chart->frame();
    for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
      const double x = (frame.map_x(histogram.edges[bin]) + frame.map_x(histogram.edges[bin + 1])) / 2;
      QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(static_cast<int>(x), 300));
      QCOMPARE(bench.workspace.selection().count(), histogram.counts[bin]);
      QVERIFY(bench.passing() == bench.workspace.selection());
      const auto marked = [&] {
        return bin < chart->data().highlighted.size() &&
               chart->data().highlighted[bin] == histogram.counts[bin];
      };
      QTRY_VERIFY_WITH_TIMEOUT(marked(), deadline_milliseconds);
    }
  }

  void the_share_near_the_best_counts_failures_too() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::DistributionPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<charts::CumulativeChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().points.empty(), deadline_milliseconds);
    const charts::PlotFrame frame = chart->frame();
    const double x = frame.map_x(20);
    QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(static_cast<int>(x), 300));
    const double below = frame.x_at(static_cast<int>(x)) / 100;
    double best = 0;
    for (std::int64_t row = 0; row < trial_count; ++row)
      best = std::max(best, std::isnan(bench.value("gflops", row)) ? 0 : bench.value("gflops", row));
    std::int64_t expected = 0;
    for (std::int64_t row = 0; row < trial_count; ++row)
      expected += bench.value("gflops", row) >= best * (1 - below) ? 1 : 0;
    QCOMPARE(bench.workspace.selection().count(), expected);
    QCOMPARE(chart->data().trials, trial_count);
    // A random sample says something of the space.
    QVERIFY(chart->data().points.front().interval.has_value());
  }

  void a_filtered_sample_is_not_the_space() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::DistributionPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<charts::CumulativeChart*>();
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().of_what, QStringLiteral("configurations"), deadline_milliseconds);
    QVERIFY(bench.workspace.set_filters({QStringLiteral("trial < 200")}));
    QTRY_COMPARE_WITH_TIMEOUT(bench.watch.shown()->filters.size(), 1, deadline_milliseconds);
    page.set_shown(bench.watch.shown());
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().trials, std::int64_t{200}, deadline_milliseconds);
    QCOMPARE(chart->data().of_what, QStringLiteral("trials"));
    for (const charts::CumulativePoint& point : chart->data().points) QVERIFY(!point.interval.has_value());
  }

  void a_tuner_makes_no_statement_about_the_space() {
    const store::SessionId chosen = database_.add_session(60, "nose");
    Bench bench(database_);
    QVERIFY(bench.open(chosen));
    views::DistributionPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<charts::CumulativeChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().points.empty(), deadline_milliseconds);
    for (const charts::CumulativePoint& point : chart->data().points) QVERIFY(!point.interval.has_value());
    QVERIFY(chart->accessibleName().contains(QStringLiteral("chosen by nose, not at random")));
  }

  void brushes_select_what_passes_all_of_them() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::ParallelPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<charts::ParallelChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().axes.empty(), deadline_milliseconds);
    const std::size_t last = page.axes().size() - 1;
    const analysis::ParallelAxis& speeds = chart->data().coordinates.axes[last];
    const QPoint from = chart->position_of(last, speeds.bins.count() / 2).toPoint();
    const QPoint to = chart->position_of(last, speeds.bins.count() - 1).toPoint();
    QTest::mousePress(chart, Qt::LeftButton, {}, from);
    QTest::mouseMove(chart, to);
    QTest::mouseRelease(chart, Qt::LeftButton, {}, to);
    QTRY_VERIFY_WITH_TIMEOUT(!bench.workspace.selection().none(), deadline_milliseconds);
    QTest::mouseClick(chart, Qt::LeftButton, {}, chart->position_of(0, 1).toPoint());
    QTRY_COMPARE_WITH_TIMEOUT(bench.filters.size(), 2, deadline_milliseconds);
    const charts::Brush speed = chart->brushes()[last].value();
    const charts::Brush value = chart->brushes()[0].value();
    const analysis::TrialColumns& columns = bench.workspace.source()->columns();
    const auto inside = [&](std::int64_t row, std::size_t column, const charts::Brush& brush) {
      const double at = columns.value(bench.trials(), row, column);
      return at >= brush.low && at <= brush.high;
    };
    for (std::int64_t row = 0; row < trial_count; ++row)
      QCOMPARE(bench.workspace.selection().test(row),
               inside(row, page.axes()[0], value) && inside(row, page.axes()[last], speed));
    QVERIFY(bench.passing() == bench.workspace.selection());
    // A selection from elsewhere is not what the brushes say.
    bench.workspace.set_selection(analysis::RowSet(trial_count, true));
    QTRY_VERIFY_WITH_TIMEOUT(!chart->brushes()[0].has_value(), deadline_milliseconds);
    QVERIFY(bench.workspace.selection().all());
  }

  void axes_are_reordered_by_dragging_a_title() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::ParallelPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<charts::ParallelChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().axes.empty(), deadline_milliseconds);
    std::vector<std::size_t> expected = page.axes();
    std::rotate(expected.begin(), expected.begin() + 2, expected.begin() + 3);
    const QString moved = chart->data().axes[2].title;
    QTest::mousePress(chart, Qt::LeftButton, {}, chart->title_position(2).toPoint());
    QTest::mouseRelease(chart, Qt::LeftButton, {}, chart->title_position(0).toPoint());
    QCOMPARE(page.axes(), expected);
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().axes[0].title, moved, deadline_milliseconds);
  }

  void new_trials_keep_the_zoom_and_the_selection() {
    Bench bench(database_);
    const store::SessionId growing = database_.add_session(40, "random");
    QVERIFY(bench.open(growing));
    views::DistributionPage page(bench.workspace);
    bench.show(page);
    connect(&bench.watch, &views::ShownWatch::changed, &page, [&] { page.set_shown(bench.watch.shown()); });
    auto* chart = page.findChild<charts::DistributionChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(!chart->data().histogram.counts.empty(), deadline_milliseconds);
    const charts::Axis x = chart->x_axis();
    const double third = x.range.span() / 3;
    chart->zoom_to({x.range.low + third, x.range.high - third}, chart->y_axis().range);
    const charts::Axis zoomed = chart->x_axis();
    const analysis::RowSet selected = analysis::RowSet::of(40, std::vector<std::int64_t>{3, 7, 8});
    bench.workspace.set_selection(selected);
    trial::Budget budget;
    budget.trials = 200;
    bench.workspace.queue().resume(growing, budget);
    QTRY_COMPARE_WITH_TIMEOUT(chart->data().histogram.valid + chart->data().histogram.invalid, 200,
                              deadline_milliseconds);
    QCOMPARE(chart->x_axis().range, zoomed.range);
    QVERIFY(bench.workspace.selection() == selected);
  }

  void cleanupTestCase() { workspace::JobTracker::wait_for_all(); }
};

KERNELSCAPE_TEST(ExploreSelectionsTest, QApplication)

}  // namespace kernelscape::explore_selections_test
#include "explore_selections_test.moc"
