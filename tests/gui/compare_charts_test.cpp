#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <limits>

#include "core/analysis/comparison/comparison_table.h"
#include "core/analysis/comparison/phase_shares.h"
#include "tests/analysis/compared_runs_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/category_chart.h"
#include "ui/charts/bars/phase_chart.h"
#include "ui/charts/curves/member_share_chart.h"
#include "ui/charts/curves/speed_up_chart.h"
#include "ui/charts/small_multiples.h"

namespace kernelscape::compare_charts_test {
namespace {

constexpr std::uint64_t seed = 20261120;

analysis::ComparedRuns some_runs(std::size_t arms, std::size_t tasks, int repeats) {
  base::Random random(seed);
  return random_comparison(random, arms, tasks, repeats);
}

charts::CompareCurveData data_of(const analysis::ComparedRuns& runs, std::optional<std::size_t> task,
                                 analysis::CompareY y,
                                 analysis::CompareAxis axis = analysis::CompareAxis::Seconds) {
  charts::CompareCurveData data;
  data.axis = axis;
  data.y = y;
  data.optimum_known = true;
  data.optimum = 1;
  data.task_count = runs.tasks.size();
  data.baseline = QString::fromStdString(runs.arms[0].name);
  if (task) data.task = QString::fromStdString(runs.tasks[*task].name);
  const std::vector<double> grid = analysis::curve_grid(runs, task, axis, 64);
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm)
    data.curves.push_back({arm, QString::fromStdString(runs.arms[arm].name),
                           analysis::aggregate_curve(runs, {arm, task}, axis, y, grid, 0)});
  return data;
}

/** A curve with these means at 0, 1, 2, ... */
charts::CompareCurve curve_of(std::size_t arm, const std::vector<double>& means) {
  charts::CompareCurve curve{arm, QStringLiteral("arm %1").arg(arm), {}};
  for (std::size_t i = 0; i < means.size(); ++i) {
    curve.curve.x.push_back(static_cast<double>(i));
    curve.curve.mean.push_back(means[i]);
    curve.curve.standard_error.push_back(means[i] / 10);
    curve.curve.median.push_back(means[i]);
    curve.curve.first_quartile.push_back(means[i] * 0.9);
    curve.curve.third_quartile.push_back(means[i] * 1.1);
    curve.curve.active.push_back(8);
  }
  curve.curve.n = curve.curve.samples = 8;
  return curve;
}

charts::CompareCurveData two_curves() {
  charts::CompareCurveData data;
  data.curves = {curve_of(0, {0, 0.5, 0.8}), curve_of(1, {0, 0.6, 0.7})};
  data.task = QStringLiteral("C6");
  data.optimum = 1;
  return data;
}

double number(const charts::Cell& cell) { return std::get<double>(cell); }

int pixels_of(const QImage& image, const QColor& colour) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixelColor(x, y) == colour) ++count;
  return count;
}

bool same_number(double first, double second) {
  return first == second || (std::isnan(first) && std::isnan(second)) ||
         std::abs(first - second) <= 1e-12 * std::max(std::abs(first), std::abs(second));
}

}  // namespace

class CompareChartsTest : public QObject {
  Q_OBJECT

 private slots:
  void tables_equal_the_curves() {
    qInfo() << "seed" << seed;
    const analysis::ComparedRuns runs = some_runs(4, 3, 5);
    charts::CompareCurveChart chart;
    chart.resize(700, 400);
    const charts::CompareCurveData data = data_of(runs, std::nullopt, analysis::CompareY::ShareOfOptimum);
    chart.set_data(data);
    const charts::Table table = chart.table();
    std::size_t row = 0;
    for (const charts::CompareCurve& curve : data.curves) {
      for (std::size_t i = 0; i < curve.curve.x.size(); ++i, ++row) {
        QCOMPARE(std::get<std::string>(table.rows[row][0]), curve.name.toStdString());
        QVERIFY(same_number(number(table.rows[row][1]), curve.curve.x[i]));
        QVERIFY(same_number(number(table.rows[row][2]), curve.curve.mean[i] * 100));
        QVERIFY(same_number(number(table.rows[row][3]), curve.curve.standard_error[i] * 100));
        QVERIFY(same_number(number(table.rows[row][4]), curve.curve.median[i] * 100));
        QVERIFY(same_number(number(table.rows[row][7]), curve.curve.active[i]));
      }
      QVERIFY(same_number(number(table.rows[row - 1][8]), static_cast<double>(curve.curve.n)));
    }
    QCOMPARE(row, table.rows.size());
    QVERIFY(row > 100);
  }

  void titles_say_what_is_shown_and_of_what() {
    charts::CompareCurveChart chart;
    chart.set_data(two_curves());
    QVERIFY2(chart.accessibleName().contains(
                 QStringLiteral("mean and 95 % interval of 8 runs per tuner · % of best found")),
             qPrintable(chart.accessibleName()));
    charts::CompareCurveData data = two_curves();
    data.optimum_known = true;
    chart.set_data(data);
    QVERIFY(chart.accessibleName().contains(QStringLiteral("% of optimum")));
    QVERIFY(!chart.accessibleName().contains(QStringLiteral("best found")));
    QCOMPARE(chart.y_axis().full_title(), QStringLiteral("share of optimum (%)"));
    chart.set_spread(charts::CompareSpread::Quartiles);
    QVERIFY(chart.accessibleName().contains(QStringLiteral("median and quartiles")));
    data.task.clear();
    data.task_count = 12;
    data.curves[0].curve.task_runs.assign(12, 3);
    data.curves[1].curve.task_runs.assign(12, 8);
    chart.set_data(data);
    QVERIFY2(chart.accessibleName().contains(QStringLiteral("3 to 8 runs per tuner on each of 12 tasks")),
             qPrintable(chart.accessibleName()));
    // Seventeen runs of each: nothing that a single number of repeats says.
    for (charts::CompareCurve& curve : data.curves)
      curve.curve.task_runs = {2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1};
    chart.set_data(data);
    QVERIFY2(
        chart.accessibleName().contains(QStringLiteral("2 runs on 5 of 12 tasks, 1 run on 7 of 12 tasks")),
        qPrintable(chart.accessibleName()));
    for (charts::CompareCurve& curve : data.curves) curve.curve.task_runs.assign(12, 40);
    chart.set_data(data);
    QVERIFY2(chart.accessibleName().contains(QStringLiteral("40 repeats on 12 tasks")),
             qPrintable(chart.accessibleName()));
    data.y = analysis::CompareY::Performance;
    data.unit = QStringLiteral("GFLOPS");
    chart.set_data(data);
    QCOMPARE(chart.y_axis().full_title(), QStringLiteral("best so far (GFLOPS)"));
  }

  void the_band_is_what_title_and_caption_say() {
    charts::CompareCurveChart chart;
    chart.resize(700, 400);
    charts::CompareCurveData data = two_curves();
    data.curves[0].bands.mean_low = {0, 0.3, 0.7};
    data.curves[0].bands.mean_high = {0, 0.6, 0.95};
    chart.set_data(data);
    chart.set_caption(charts::spread_text(data, charts::CompareSpread::Interval) +
                      QStringLiteral(" And more."));
    QVERIFY(chart.caption().contains(QStringLiteral("95 % interval")));
    QVERIFY(chart.caption().contains(QStringLiteral("n: 8 runs per tuner")));
    const auto readout = chart.readout_at(chart.frame().map(2, 79));
    QVERIFY2(readout->lines[1].contains(QStringLiteral("[70, 95] (n = 8)")), qPrintable(readout->lines[1]));
    const charts::Table table = chart.table();
    QCOMPARE(table.columns.size(), table.rows[1].size());
    QVERIFY(same_number(number(table.rows[1][10]), 30) && same_number(number(table.rows[1][11]), 60));
    // The other tuner has no interval: its line alone is drawn.
    QVERIFY(std::isnan(number(table.rows[4][10])));
    chart.show();
    chart.show_menu();
    for (QAction* action : chart.findChild<QMenu*>()->actions())
      if (action->text() == QStringLiteral("Mean and standard error")) action->trigger();
    QCOMPARE(chart.spread(), charts::CompareSpread::StandardError);
    QVERIFY(chart.accessibleName().contains(QStringLiteral("mean and standard error of 8 runs")));
    QCOMPARE(chart.caption(),
             charts::spread_text(data, charts::CompareSpread::StandardError) + QStringLiteral(" And more."));
    QVERIFY(chart.caption().contains(QStringLiteral("one standard error (n: 8 runs per tuner)")));
    QVERIFY(charts::spread_text({}, charts::CompareSpread::Interval).isEmpty());
  }

  void hidden_arms_disappear() {
    charts::CompareCurveChart chart;
    chart.resize(700, 400);
    chart.set_data(two_curves());
    const QColor first = style::colours().arm(0).colour;
    const QColor second = style::colours().arm(1).colour;
    QVERIFY(pixels_of(chart.to_image(1), first) > 20);
    QVERIFY(pixels_of(chart.to_image(1), second) > 20);
    chart.set_hidden({0});
    QCOMPARE(pixels_of(chart.to_image(1), first), 0);
    QVERIFY(pixels_of(chart.to_image(1), second) > 20);
    QCOMPARE(chart.shown().size(), std::size_t{1});
    for (const auto& row : chart.table().rows) QCOMPARE(std::get<std::string>(row[0]), std::string("arm 1"));
    QVERIFY(!chart.accessibleName().contains(QStringLiteral("arm 0")));
    chart.set_hidden({0, 1});
    QVERIFY(chart.table().rows.empty());
    QVERIFY(!chart.readout_at(chart.frame().plot.center()));
    chart.show();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(!chart.readout());
  }

  void readouts_are_sorted_and_walk_by_keys() {
    charts::CompareCurveChart chart;
    chart.resize(700, 400);
    chart.set_data(two_curves());
    chart.show();
    const charts::PlotFrame frame = chart.frame();
    auto readout = chart.readout_at(frame.map(1, 55));
    QVERIFY(readout);
    QVERIFY2(readout->lines[1].startsWith(QStringLiteral("arm 1  60 %")), qPrintable(readout->lines[1]));
    QVERIFY(readout->lines[1].contains(QStringLiteral("n = 8")));
    readout = chart.readout_at(frame.map(2, 79));
    QVERIFY(readout->lines[1].startsWith(QStringLiteral("arm 0  80 %")));
    QCOMPARE(readout->row, 0);
    QTest::keyClick(&chart, Qt::Key_Left);
    QVERIFY(chart.readout()->lines[0].contains(QStringLiteral("2 s")));
    QTest::keyClick(&chart, Qt::Key_Left);
    QVERIFY(chart.readout()->lines[0].contains(QStringLiteral("1 s")));
    QCOMPARE(chart.readout()->row, 0);
    QTest::keyClick(&chart, Qt::Key_Up);
    QCOMPARE(chart.readout()->row, 1);
    for (int i = 0; i < 9; ++i) QTest::keyClick(&chart, Qt::Key_Left);
    QVERIFY(chart.readout()->lines[0].contains(QStringLiteral("0 s")));
    QSignalSpy activated(&chart, &charts::CompareCurveChart::arm_activated);
    QTest::keyClick(&chart, Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
    QCOMPARE(activated[0][0].toLongLong(), 1);
  }

  void a_lane_counts_the_runs_that_resume() {
    charts::CompareCurveData data = two_curves();
    charts::CompareCurveChart chart;
    chart.resize(700, 400);
    chart.set_data(data);
    QVERIFY(chart.frame().lanes.empty());
    data.curves[0].curve.active = {8, 5, 5};
    chart.set_data(data);
    QCOMPARE(chart.frame().lanes.size(), std::size_t{1});
    const auto readout = chart.readout_at(chart.frame().map(1, 50));
    QVERIFY(readout->lines[2].contains(QStringLiteral("5 of 8 runs active")));
    QVERIFY(chart.to_svg().contains(">16<") && chart.to_svg().contains(">13<"));
  }

  void zoom_survives_live_data() {
    charts::CompareCurveChart chart;
    chart.resize(700, 400);
    chart.set_data(two_curves());
    chart.zoom_to({0.5, 1.5}, {40, 70});
    charts::CompareCurveData longer = two_curves();
    longer.curves = {curve_of(0, {0, 0.5, 0.8, 0.9}), curve_of(1, {0, 0.6, 0.7, 0.75})};
    chart.set_data(longer);
    QCOMPARE(chart.x_axis().range, (charts::Interval{0.5, 1.5}));
    QCOMPARE(chart.y_axis().range, (charts::Interval{40, 70}));
    chart.reset_view();
    QCOMPARE(chart.x_axis().range.high, 3.0);
  }

  void logarithmic_time_begins_at_the_first_point_after_zero() {
    charts::CompareCurveChart chart;
    chart.resize(700, 400);
    chart.set_data(two_curves());
    QSignalSpy changed(&chart, &charts::CompareCurveChart::x_logarithmic_changed);
    chart.show();
    chart.show_menu();
    for (QAction* action : chart.findChild<QMenu*>()->actions())
      if (action->text().contains(QStringLiteral("Logarithmic time"))) action->trigger();
    QCOMPARE(changed.count(), 1);
    QVERIFY(chart.x_axis().logarithmic());
    QCOMPARE(chart.x_axis().range.low, 1.0);
    QVERIFY(!chart.to_image(1).isNull());
  }

  void speed_ups_stand_around_one() {
    charts::SpeedUpChart chart;
    chart.resize(700, 400);
    const analysis::ComparedRuns runs = some_runs(3, 2, 4);
    chart.set_data(data_of(runs, std::nullopt, analysis::CompareY::SpeedUp));
    QCOMPARE(chart.y_axis().scale, charts::AxisScale::Log2);
    QVERIFY(chart.y_axis().range.contains(1));
    double most = 0;
    for (const charts::CompareCurve& curve : chart.data().curves)
      for (const double mean : curve.curve.mean)
        if (std::isfinite(mean)) most = std::max(most, mean);
    const double robust = chart.y_axis().range.high;
    QVERIFY(robust >= 1.25 && chart.y_axis().range.low <= 0.8);
    chart.set_show_all(true);
    QVERIFY(chart.y_axis().range.high >= most && chart.y_axis().range.high >= robust);
    QVERIFY(chart.accessibleName().contains(QStringLiteral("Speed-up over arm 0")));
    QVERIFY(chart.explanation().contains(QStringLiteral("5B")));
    for (const auto& row : chart.table().rows)
      if (std::get<std::string>(row[0]) == "arm 0" && !std::isnan(number(row[2])))
        QVERIFY(std::abs(number(row[2]) - 1) < 1e-9);
  }

  void shares_of_members_are_medians_in_percent() {
    charts::MemberShareChart chart;
    chart.resize(700, 400);
    charts::CompareCurveData data{.curves = {curve_of(0, {0.2, 0.5, 0.8}), curve_of(1, {0.6, 0.6, 0.7})},
                                  .y = analysis::CompareY::MemberShare,
                                  .unit = {},
                                  .optimum = {},
                                  .task = {},
                                  .baseline = {}};
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (std::vector<double>* values : {&data.curves[1].curve.median, &data.curves[1].curve.first_quartile,
                                        &data.curves[1].curve.third_quartile})
      values->front() = none;
    chart.set_data(data);
    QCOMPARE(chart.spread(), charts::CompareSpread::Quartiles);
    QCOMPARE(chart.title(), QStringLiteral("Valid offspring"));
    QCOMPARE(chart.y_axis().full_title(), QStringLiteral("share of valid offspring (%)"));
    QVERIFY(chart.accessibleName().contains(QStringLiteral("median and quartiles of 8 runs")));
    const charts::PlotFrame frame = chart.frame();
    const auto early = chart.readout_at(frame.map(0.2, 20));
    QVERIFY(early->lines[1].startsWith(QStringLiteral("arm 0  20 %")));
    QCOMPARE(early->lines[2], QStringLiteral("arm 1  not reported by every run yet"));
    QVERIFY(!chart.to_image(1).isNull());
    QCOMPARE(number(chart.table().rows[2][4]), 80.0);
    QVERIFY(chart.explanation().contains(QStringLiteral("figures 2 and 12")));
  }

  void phases_are_stacked_from_zero() {
    charts::PhaseChart chart;
    chart.resize(600, 300);
    chart.set_data({{0, QStringLiteral("nose"), {1, 2, 3, 4}}, {2, QStringLiteral("ga"), {0, 5, 5, 0}}});
    QCOMPARE(chart.part_rect(0, 0).left(), chart.part_rect(1, 1).left());
    QCOMPARE(chart.part_rect(0, 3).right(), chart.part_rect(1, 2).right());
    QVERIFY(std::abs(chart.part_rect(0, 2).width() - 3 * chart.part_rect(0, 0).width()) < 1e-6);
    QCOMPARE(chart.part_rect(1, 0).width(), 0.0);
    const charts::Table table = chart.table();
    QCOMPARE(table.rows.size(), std::size_t{2});
    QCOMPARE(number(table.rows[0][3]), 3.0);
    QCOMPARE(number(table.rows[1][5]), 10.0);
    const auto readout = chart.readout_at(chart.part_rect(0, 1).center());
    QVERIFY(readout->lines[1].contains(QStringLiteral("build: 2 s")));
    QVERIFY(readout->lines[2].contains(QStringLiteral("20 %")));
    QVERIFY(chart.accessibleName().contains(QStringLiteral("nose: search 1 s, build 2 s")));
    chart.set_hidden({0});
    QCOMPARE(chart.table().rows.size(), std::size_t{1});
    QVERIFY(!chart.accessibleName().contains(QStringLiteral("nose")));
    QVERIFY(chart.explanation().contains(QStringLiteral("figure 6")));
  }

  void bars_walk_by_keys() {
    charts::PhaseChart chart;
    chart.resize(600, 300);
    chart.set_data({{0, QStringLiteral("nose"), {1, 2, 3, 4}}, {1, QStringLiteral("ga"), {0, 5, 5, 0}}});
    chart.show();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(chart.readout()->lines[1].startsWith(QStringLiteral("search")));
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Down);
    QCOMPARE(chart.readout()->lines[0], QStringLiteral("ga"));
    QVERIFY(chart.readout()->lines[1].startsWith(QStringLiteral("build: 5 s")));
    QSignalSpy activated(&chart, &charts::StackedBarChart::arm_activated);
    QTest::keyClick(&chart, Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
    QCOMPARE(activated[0][0].toLongLong(), 1);
  }

  void categories_carry_their_shares() {
    analysis::CategoryShares shares;
    shares.trials[0] = 0.75;
    shares.trials[7] = 0.25;
    shares.work_seconds[0] = 0.4;
    shares.work_seconds[7] = 0.6;
    shares.trials_per_run = 500;
    shares.work_seconds_per_run = 120;
    for (const charts::CategoryBy by : {charts::CategoryBy::Trials, charts::CategoryBy::WorkSeconds}) {
      charts::CategoryChart chart(by);
      chart.resize(600, 300);
      chart.set_data({{0, QStringLiteral("nose"), shares}});
      const bool trials = by == charts::CategoryBy::Trials;
      const charts::Table table = chart.table();
      QCOMPARE(number(table.rows[0][1]), trials ? 75.0 : 40.0);
      QCOMPARE(number(table.rows[0][8]), trials ? 25.0 : 60.0);
      QCOMPARE(number(table.rows[0].back()), trials ? 500.0 : 120.0);
      const auto readout = chart.readout_at(chart.part_rect(0, 7).center());
      QVERIFY(readout->lines[1].contains(QStringLiteral("RUN_TIMEOUT")));
      QVERIFY(readout->lines[1].contains(trials ? QStringLiteral("25 %") : QStringLiteral("60 %")));
      QVERIFY(pixels_of(chart.to_image(1), style::colours().categories[7].colour) > 100);
      QVERIFY(chart.to_svg().contains(">T<"));
      QVERIFY(chart.explanation().contains(trials ? QStringLiteral("7A") : QStringLiteral("7B")));
    }
  }

  void small_multiples_are_one_chart_a_task() {
    const analysis::ComparedRuns runs = some_runs(2, 7, 3);
    std::vector<charts::CompareCurveData> tasks;
    for (std::size_t task = 0; task < runs.tasks.size(); ++task)
      tasks.push_back(data_of(runs, task, analysis::CompareY::ShareOfOptimum));
    charts::SmallMultiples grid;
    grid.resize(1100, 500);
    grid.show();
    const auto fill = [&] {
      grid.set_count(tasks.size());
      for (std::size_t task = 0; task < tasks.size(); ++task) grid.charts()[task]->set_data(tasks[task]);
    };
    fill();
    QCOMPARE(grid.charts().size(), std::size_t{7});
    for (const charts::CompareCurveChart* chart : grid.charts()) {
      QVERIFY(chart->frame().plot.width() >= 260 && chart->frame().plot.height() >= 140);
      QVERIFY(chart->geometry().right() <= grid.viewport()->width());
    }
    QCOMPARE(grid.charts()[3]->title(), QStringLiteral("task 3"));
    grid.charts()[2]->zoom_to({0, 1}, {0, 50});
    fill();
    QCOMPARE(grid.charts()[2]->y_axis().range, (charts::Interval{0, 50}));
    grid.set_hidden({1});
    for (const charts::CompareCurveChart* chart : grid.charts()) QVERIFY(chart->shown().size() <= 1);
    QSignalSpy activated(&grid, &charts::SmallMultiples::task_activated);
    QTest::mouseDClick(grid.charts()[4], Qt::LeftButton, {}, QPoint(20, 8));
    QCOMPARE(activated[0][0].toLongLong(), 4);
    tasks.resize(2);
    fill();
    QCOMPARE(grid.charts().size(), std::size_t{2});
  }

  void strange_numbers_do_no_harm() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    charts::CompareCurveChart curves;
    charts::SpeedUpChart speed_ups;
    charts::PhaseChart phases;
    for (const QSize& size : {QSize(1, 1), QSize(60, 30), QSize(276, 180), QSize(900, 500)}) {
      for (const double value : {0.0, nan, infinity, -5.0, 1e300, 1e-300}) {
        charts::CompareCurveData data;
        data.curves = {curve_of(0, {value, 1, value, 2}),
                       curve_of(11, {value, value, value, value}),
                       {2, QStringLiteral("empty"), {}}};
        data.optimum = value;
        for (charts::CompareCurveChart* chart :
             {&curves, static_cast<charts::CompareCurveChart*>(&speed_ups)}) {
          chart->resize(size);
          chart->set_data(data);
          chart->set_x_logarithmic(!chart->x_logarithmic());
          QVERIFY(!chart->to_image(1).isNull() && chart->to_svg().endsWith("</svg>\n"));
        }
        phases.resize(size);
        phases.set_data({{0, QStringLiteral("a"), {value, value, 1, value}}});
        QVERIFY(!phases.to_image(1).isNull());
        for (std::size_t part = 0; part < 4; ++part) {
          QVERIFY(std::isfinite(phases.part_rect(0, part).width()));
          QVERIFY(phases.part_rect(0, part).width() >= 0);
        }
      }
    }
    curves.set_data({});
    QVERIFY(!curves.to_image(1).isNull());
    phases.set_data({});
    QVERIFY(!phases.to_image(1).isNull() && !phases.readout_at(phases.rect().center()));
  }
};

KERNELSCAPE_TEST(CompareChartsTest, QApplication)

}  // namespace kernelscape::compare_charts_test
#include "compare_charts_test.moc"
