#include "ui/views/explore/slices_page.h"

#include <QApplication>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/gui/chart_support.h"
#include "tests/gui/explore_bench.h"
#include "tests/test_program.h"
#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/slice_chart.h"
#include "ui/charts/landscape/heat_map_chart.h"

namespace kernelscape::slices_page_test {

using namespace explore_tests;

namespace {

/** Five values, of which the third is infeasible and the fourth was measured. */
charts::SliceData small_slice(bool ordered) {
  charts::SliceData data{.knob = QStringLiteral("step"),
                         .quantity = QStringLiteral("speed"),
                         .unit = QStringLiteral("GFLOPS"),
                         .ordered = ordered,
                         .base = 1};
  for (int value = 0; value < 5; ++value) {
    data.labels.push_back(QString::number(1 << value));
    data.predictions.push_back(
        {.members = value == 2 ? 0 : 1, .performance = value == 2 ? 0 : 100.0 + 10 * value, .deviation = 5});
    data.measured.emplace_back();
  }
  data.measured[3] = {.count = 1, .valid = 1, .best_row = 42, .best = 128, .mean = 128};
  return data;
}

}  // namespace

/** Slices of the model, as a chart and as a page of Explore. */
class SlicesPageTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;

  /** Waits until both charts show a slice. */
  static bool settled(const views::SlicesPage& page) {
    const auto* slice = page.findChild<charts::SliceChart*>();
    return QTest::qWaitFor(
        [&] {
          workspace::JobTracker::wait_for_all();
          return slice->notice().isEmpty() && !slice->data().labels.empty();
        },
        deadline_milliseconds);
  }
  static QComboBox* box(const views::SlicesPage& page, const char* name) {
    for (QComboBox* box : page.findChildren<QComboBox*>())
      if (box->accessibleName() == QLatin1String(name)) return box;
    return nullptr;
  }

 private slots:
  void initTestCase() { session_ = database_.add_session(session_tests::make_setup("random", 5, 60, 20)); }

  void the_chart_tells_predicted_measured_and_infeasible_values() {
    for (const bool ordered : {true, false}) {
      const auto chart = chart_tests::shown_chart<charts::SliceChart>({700, 400});
      chart->set_data(small_slice(ordered));
      chart_tests::check_painting(*chart);
      const charts::PlotFrame frame = chart->frame();
      const auto lines_at = [&](double value) {
        return chart->readout_at(frame.map(value, 110)).value().lines.join(QLatin1Char('\n'));
      };
      QVERIFY(lines_at(0).contains(QStringLiteral("step = 1")));
      QVERIFY(lines_at(0).contains(QStringLiteral("predicted 100 GFLOPS")));
      QVERIFY(lines_at(2).contains(QStringLiteral("infeasible")));
      QVERIFY(lines_at(3).contains(QStringLiteral("measured 128 GFLOPS")));
      const charts::Table table = chart->table();
      QCOMPARE(std::get<double>(table.rows[3][1]), 130.0);
      QVERIFY(std::isnan(std::get<double>(table.rows[2][1])));
      QCOMPARE(std::get<double>(table.rows[3][4]), 128.0);
      QVERIFY(chart->accessibleName().contains(QStringLiteral("140 GFLOPS at 16")));
      // Every deviation is within the axis.
      QVERIFY(chart->y_axis().range.low <= 95 && chart->y_axis().range.high >= 145);
    }
  }

  void corrected_times_are_marked() {
    const auto chart = chart_tests::shown_chart<charts::SliceChart>({1400, 400});
    charts::SliceData data = small_slice(true);
    const QPointF place = [&] {
      chart->set_data(data);
      return chart->frame().map(3, 128);
    }();
    QVERIFY(!chart_tests::has_colour_near(chart->to_image(1), place, style::colours().warning));
    QVERIFY(!chart->to_svg().contains(charts::corrected_label().toUtf8()));
    QCOMPARE(std::get<std::string>(chart->table().rows[3].back()), std::string("no"));
    data.corrected = {false, false, false, true, false};
    chart->set_data(data);
    QVERIFY(chart_tests::has_colour_near(chart->to_image(1), place, style::colours().warning));
    QVERIFY(chart->to_svg().contains(charts::corrected_label().toUtf8()));
    QVERIFY(chart->readout_at(place)
                .value()
                .lines.join(QLatin1Char('\n'))
                .contains(QStringLiteral("measured 128 GFLOPS, corrected")));
    QCOMPARE(std::get<std::string>(chart->table().rows[3].back()), std::string("yes"));
  }

  void keys_visit_the_values_and_enter_opens_the_trial() {
    const auto chart = chart_tests::shown_chart<charts::SliceChart>({700, 400});
    chart->set_data(small_slice(true));
    chart->setFocus();
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QVERIFY(chart->readout()->lines.front().endsWith(QStringLiteral("= 2")));  // the base
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QVERIFY(chart->readout()->lines.front().endsWith(QStringLiteral("= 8")));
    QSignalSpy activated(chart.get(), &charts::Chart::row_activated);
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(activated.size(), 1);
    QCOMPARE(activated.front()[0].toLongLong(), 42);
  }

  void other_knobs_are_those_of_the_best_or_of_the_current_trial() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::SlicesPage page(bench.workspace);
    QVERIFY(page.has_content(*bench.watch.shown()));
    bench.show(page);
    QVERIFY(settled(page));
    auto* slice = page.findChild<charts::SliceChart*>();
    auto* contour = page.findChild<charts::HeatMapChart*>();
    const std::int64_t best = bench.workspace.source()->headline.row;
    const auto base_of = [&] { return slice->data().labels.at(slice->data().base.value()).toStdString(); };
    const space::Knob knob = bench.workspace.source()->space().knobs()[0];
    QCOMPARE(base_of(), knob.describe(bench.trials().knob_index(best, 0)));
    // The base was measured, and its slice says how fast it is.
    QVERIFY(slice->data().measured.at(slice->data().base.value()).valid > 0);
    QVERIFY(contour->data().current.has_value());
    QVERIFY(contour->data().cells.at(*contour->data().current).valid > 0);
    // A trial with another value of the knob.
    std::int64_t other = 0;
    while (bench.trials().knob_index(other, 0) == bench.trials().knob_index(best, 0)) ++other;
    box(page, "Trial that gives the other knobs")->setCurrentIndex(1);
    bench.workspace.set_current_row(other);
    const std::string wanted = knob.describe(bench.trials().knob_index(other, 0));
    QTRY_COMPARE_WITH_TIMEOUT(base_of(), wanted, deadline_milliseconds);
    QVERIFY(slice->caption().contains(QStringLiteral("trial %1").arg(bench.trials().row(other).number)));
  }

  void knobs_can_be_chosen() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::SlicesPage page(bench.workspace);
    bench.show(page);
    QVERIFY(settled(page));
    auto* slice = page.findChild<charts::SliceChart*>();
    auto* contour = page.findChild<charts::HeatMapChart*>();
    const std::vector<space::Knob>& knobs = bench.workspace.source()->space().knobs();
    box(page, "Knob of the slice")->setCurrentIndex(1);
    box(page, "Second knob of the contours")->setCurrentIndex(0);
    QTRY_COMPARE_WITH_TIMEOUT(slice->data().knob.toStdString(), knobs[1].name(), deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(contour->data().y_column.toStdString(), knobs[0].name(), deadline_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(contour->data().x_column.toStdString(), knobs[1].name(), deadline_milliseconds);
    box(page, "Second knob of the contours")->setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(contour->notice().contains(QStringLiteral("two knobs")), deadline_milliseconds);
  }

  void too_few_trials_are_a_notice() {
    Bench bench(database_);
    QVERIFY(bench.open(database_.add_session(session_tests::make_setup("random", 5, 3, 3))));
    views::SlicesPage page(bench.workspace);
    QVERIFY(!page.has_content(*bench.watch.shown()));
    bench.show(page);
    auto* slice = page.findChild<charts::SliceChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(slice->notice().contains(QStringLiteral("valid trial")), deadline_milliseconds);
  }

  void cleanupTestCase() { workspace::JobTracker::wait_for_all(); }
};

KERNELSCAPE_TEST(SlicesPageTest, QApplication)

}  // namespace kernelscape::slices_page_test
#include "slices_page_test.moc"
