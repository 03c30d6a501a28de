#include "ui/views/explore/pareto_page.h"

#include <QApplication>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <memory>

#include "tests/gui/chart_support.h"
#include "tests/gui/explore_bench.h"
#include "tests/test_program.h"
#include "ui/charts/landscape/pareto_chart.h"

namespace kernelscape::pareto_page_test {

using namespace explore_tests;

namespace {

class TestParetoChart : public charts::ParetoChart {
 public:
  using charts::ParetoChart::rows_in;
};

/** Five trials; those of rows 2, 4 and 7 are the front if less is better in both. */
charts::ParetoData small_front() {
  charts::ParetoData data{.x = {QStringLiteral("time"), QStringLiteral("ms"), false},
                          .y = {QStringLiteral("energy"), QStringLiteral("J"), false}};
  data.points = std::make_shared<const std::vector<charts::ParetoPoint>>(std::vector<charts::ParetoPoint>{
      {2, 12, 1, 9}, {3, 13, 2, 9.5}, {4, 14, 2, 5}, {6, 16, 4, 6}, {7, 17, 5, 2}});
  data.front = {0, 2, 4};
  return data;
}

/** As scripted, with an energy that grows with the speed, and a size. */
trial::Measurement with_energy(const space::Configuration& configuration) {
  trial::Measurement measurement = gui_tests::scripted_measurement(configuration);
  const std::uint64_t hash = session_tests::hash_of(configuration);
  if (measurement.valid())
    measurement.metrics.push_back(
        {"energy", "J", 1e-3 / measurement.median_seconds() + static_cast<double>(hash % 97)});
  measurement.metrics.push_back({"code_size", "B", static_cast<double>(500 + hash % 1000)});
  return measurement;
}

}  // namespace

/** The Pareto front as a chart, and as a page of Explore. */
class ParetoPageTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;
  store::SessionId plain_ = 0;

  /** Waits for the jobs of the page. */
  static void settle() {
    workspace::JobTracker::wait_for_all();
    QCoreApplication::processEvents();
  }
  static bool shows(const views::ParetoPage& page, const QString& y_title) {
    const auto* chart = page.findChild<charts::ParetoChart*>();
    return QTest::qWaitFor(
        [&] {
          settle();
          return chart->notice().isEmpty() && chart->data().y.title == y_title && chart->data().size() > 0;
        },
        deadline_milliseconds);
  }
  static QComboBox* box(const views::ParetoPage& page, const char* name) {
    for (QComboBox* box : page.findChildren<QComboBox*>())
      if (box->accessibleName() == QLatin1String(name)) return box;
    return nullptr;
  }

 private slots:
  void initTestCase() {
    auto script = gui_tests::make_script();
    script.measure = with_energy;
    session_ = database_.add_session(session_tests::make_setup("random", 5, trial_count, 20), script);
    plain_ = database_.add_session(session_tests::make_setup("random", 5, 40, 20));
  }

  void the_chart_paints_front_and_dominated_trials() {
    const auto chart = chart_tests::shown_chart<TestParetoChart>({640, 420});
    chart_tests::check_painting(*chart);  // nothing yet
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QVERIFY(!chart->readout());
    chart->set_data(small_front());
    chart_tests::check_painting(*chart);
    for (const charts::ParetoPoint& point : *chart->data().points) {
      QVERIFY(chart->frame().x.range.contains(point.x));
      QVERIFY(chart->frame().y.range.contains(point.y));
    }
    QVERIFY(!chart->position_of(5));
    QCOMPARE(chart->rows_in(chart->frame().plot), (std::vector<qint64>{2, 3, 4, 6, 7}));
    QVERIFY(chart->accessibleName().contains(QStringLiteral("3 of 5 trials")));
    const charts::Table table = chart->table();
    QCOMPARE(table.rows.size(), std::size_t{5});
    QCOMPARE(std::get<double>(table.rows[1][4]), 0.0);
    QCOMPARE(std::get<double>(table.rows[2][4]), 1.0);
    QCOMPARE(table.columns[3], std::string("energy (J)"));
  }

  void readouts_keys_and_activation() {
    const auto chart = chart_tests::shown_chart<TestParetoChart>({640, 420});
    chart->set_data(small_front());
    QSignalSpy activated(chart.get(), &charts::Chart::row_activated);
    const auto dominated = chart->readout_at(*chart->position_of(6));
    QVERIFY(dominated && dominated->lines.front().contains(QStringLiteral("dominated")));
    const auto best = chart->readout_at(*chart->position_of(4));
    QVERIFY(best && best->lines.front() == QStringLiteral("trial 14, on the Pareto front"));
    QCOMPARE(best->lines[2], QStringLiteral("energy 5 J"));
    QTest::mouseClick(chart.get(), Qt::LeftButton, {}, chart->position_of(6)->toPoint());
    QCOMPARE(activated.takeLast()[0].toLongLong(), 6);
    chart->setFocus();
    QTest::keyClick(chart.get(), Qt::Key_Escape);
    // Along the front, and not beyond its ends.
    std::vector<std::int64_t> rows;
    for (int step = 0; step < 4; ++step) {
      QTest::keyClick(chart.get(), Qt::Key_Right);
      rows.push_back(chart->readout()->row);
    }
    QVERIFY(rows == (std::vector<std::int64_t>{2, 4, 7, 7}));
    QTest::keyClick(chart.get(), Qt::Key_Left);
    QCOMPARE(chart->readout()->row, std::int64_t{4});
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(activated.takeLast()[0].toLongLong(), 4);
  }

  void the_page_shows_the_front_of_the_time_and_the_first_metric() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::ParetoPage page(bench.workspace);
    QVERIFY(page.has_content(*bench.watch.shown()));
    bench.show(page);
    const analysis::TrialColumns& columns = bench.workspace.source()->columns();
    const auto first_metric = std::ranges::find_if(
        columns.columns(), [](const analysis::Column& column) { return column.metric.has_value(); });
    QVERIFY(shows(page, QString::fromStdString(first_metric->title)));
    auto* chart = page.findChild<charts::ParetoChart*>();
    // Against every pair of points.
    const std::vector<charts::ParetoPoint>& points = *chart->data().points;
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool dominated = std::ranges::any_of(points, [&](const charts::ParetoPoint& other) {
        return other.x <= points[i].x && other.y <= points[i].y &&
               (other.x < points[i].x || other.y < points[i].y);
      });
      if (!dominated) expected.push_back(i);
    }
    std::vector<std::size_t> front = chart->data().front;
    std::ranges::sort(front);
    QVERIFY(front == expected);
    for (const charts::ParetoPoint& point : points) QCOMPARE(point.x, bench.value("ms", point.row));
  }

  void quantities_and_directions_can_be_chosen() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::ParetoPage page(bench.workspace);
    bench.show(page);
    QComboBox* y = box(page, "Quantity of the y axis");
    QComboBox* better = box(page, "Better direction of the y axis");
    QVERIFY(y != nullptr && better != nullptr);
    QVERIFY(QTest::qWaitFor([&] { return y->findText(QStringLiteral("energy (J)")) >= 0; },
                            deadline_milliseconds));
    y->setCurrentIndex(y->findText(QStringLiteral("energy (J)")));
    QVERIFY(shows(page, QStringLiteral("energy")));
    QCOMPARE(better->currentIndex(), 0);
    auto* chart = page.findChild<charts::ParetoChart*>();
    for (const charts::ParetoPoint& point : *chart->data().points)
      QCOMPARE(point.y, bench.value("energy", point.row));
    better->setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(chart->data().y.more_is_better, deadline_milliseconds);
    // The usual direction comes with another quantity.
    y->setCurrentIndex(y->findText(QStringLiteral("GFLOPS")));
    QVERIFY(shows(page, QStringLiteral("GFLOPS")));
    QCOMPARE(better->currentIndex(), 1);
    // Time and speed agree: only trials with the best time are on the front.
    for (const std::size_t position : chart->data().front)
      QCOMPARE((*chart->data().points)[position].x, (*chart->data().points)[chart->data().front[0]].x);
    y->setCurrentIndex(y->findText(QStringLiteral("code_size (B)")));
    QVERIFY(shows(page, QStringLiteral("code_size")));
    QCOMPARE(better->currentIndex(), 0);
  }

  void clicks_and_rectangles_choose_trials() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::ParetoPage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<charts::ParetoChart*>();
    QVERIFY(QTest::qWaitFor(
        [&] {
          settle();
          return chart->data().size() > 0;
        },
        deadline_milliseconds));
    const std::int64_t row = (*chart->data().points)[chart->data().front.front()].row;
    QTest::mouseClick(chart, Qt::LeftButton, {}, chart->position_of(row)->toPoint());
    QTRY_COMPARE_WITH_TIMEOUT(bench.workspace.current_row(), row, deadline_milliseconds);
    const QRect plot = chart->frame().plot.toRect();
    QTest::mousePress(chart, Qt::LeftButton, Qt::ControlModifier, plot.topLeft() + QPoint(1, 1));
    QTest::mouseMove(chart, plot.center());
    QTest::mouseRelease(chart, Qt::LeftButton, Qt::ControlModifier, plot.bottomRight() - QPoint(1, 1));
    QTRY_VERIFY_WITH_TIMEOUT(bench.workspace.selection().count() > 0, deadline_milliseconds);
  }

  void trials_without_metrics_say_so() {
    Bench bench(database_);
    QVERIFY(bench.open(plain_));
    views::ParetoPage page(bench.workspace);
    QVERIFY(!page.has_content(*bench.watch.shown()));
    bench.show(page);
    auto* chart = page.findChild<charts::ParetoChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(chart->notice().contains(QStringLiteral("no metric")), deadline_milliseconds);
    QComboBox* y = box(page, "Quantity of the y axis");
    y->setCurrentIndex(y->findText(QStringLiteral("build (s)")));
    QVERIFY(shows(page, QStringLiteral("build")));
  }

  void filters_name_metrics() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    QVERIFY(bench.workspace.add_filter(QStringLiteral("energy < 50 and code_size >= 800")));
    const auto passes = [&](std::int64_t row) {
      return bench.value("energy", row) < 50 && bench.value("code_size", row) >= 800;
    };
    std::int64_t expected = 0;
    for (std::int64_t row = 0; row < bench.trials().size(); ++row) expected += passes(row) ? 1 : 0;
    QVERIFY(expected > 0);
    QTRY_VERIFY_WITH_TIMEOUT(bench.workspace.filtered() && bench.workspace.filtered()->count() == expected,
                             deadline_milliseconds);
  }
};

KERNELSCAPE_TEST(ParetoPageTest, QApplication)

}  // namespace kernelscape::pareto_page_test
#include "pareto_page_test.moc"
