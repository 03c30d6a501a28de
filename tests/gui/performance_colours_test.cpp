#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "tests/gui/chart_support.h"
#include "tests/gui/landscape_data.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/charts/landscape/performance_scale.h"
#include "ui/charts/landscape/viridis_scale.h"
#include "ui/style/numbers.h"

namespace kernelscape::performance_colours_test {

using namespace chart_tests;

/** How charts colour speeds and times: by rank, with their values beside the colours. */
class PerformanceColoursTest : public QObject {
  Q_OBJECT

 private:
  std::mt19937 random_;

 private slots:
  void initTestCase() {
    const auto seed = static_cast<unsigned>(testing::random_seed());
    random_.seed(seed);
  }

  void a_slow_cell_does_not_darken_the_others() {
    for (const bool higher_is_better : {true, false}) {
      const auto chart = shown_chart<charts::HeatMapChart>(chart_size);
      charts::HeatMapData data = heat_map_data(random_, 3, 1);
      data.higher_is_better = higher_is_better;
      const std::vector<double> bests =
          higher_is_better ? std::vector{1.0, 300.0, 310.0} : std::vector{9000.0, 6.0, 5.0};
      for (std::size_t cell = 0; cell < bests.size(); ++cell)
        data.cells[cell] = {.count = 9, .valid = 9, .best = bests[cell], .mean = bests[cell]};
      chart->set_data(data);
      const QImage image = chart->to_image(1);
      for (const double place : {0.0, 0.5, 1.0}) {
        QTest::keyClick(chart.get(), Qt::Key_Right);
        const QPoint beside = chart->readout()->position.toPoint() - QPoint(35, 20);
        QCOMPARE(image.pixelColor(beside).rgb(), style::viridis(place).rgb());
      }
      const QByteArray svg = chart->to_svg();
      QVERIFY(svg.contains("colours by rank"));
      for (const double best : bests)
        QVERIFY(svg.contains('>' + style::format_quantity(best, data.unit).toUtf8() + '<'));
    }
  }

  void ranks_colour_performances() {
    QVERIFY(charts::PerformanceScale().empty());
    QCOMPARE(charts::PerformanceScale({7, 7}, true).brightness(7), 1.0);
    for (const bool higher_is_better : {true, false}) {
      std::vector<double> values{std::numeric_limits<double>::infinity(), std::nan(""), 0, -1};
      std::lognormal_distribution<double> speed(4, 3);
      std::set<double> distinct;
      while (distinct.size() < 50) distinct.insert(speed(random_));
      values.insert(values.end(), distinct.begin(), distinct.end());
      values.push_back(*distinct.begin());
      std::ranges::shuffle(values, random_);
      const charts::PerformanceScale scale(values, higher_is_better);
      double rank = 0;
      for (const double value : distinct) {
        const double place = rank++ / 49;
        const double expected = higher_is_better ? place : 1 - place;
        QVERIFY(std::abs(scale.brightness(value) - expected) < 1e-9);
        QVERIFY(std::abs(scale.value_at(expected) - value) < 1e-9 * value);
      }
      const std::vector<charts::ScaleMark> marks = scale.marks();
      QCOMPARE(marks.size(), std::size_t{5});
      QCOMPARE(marks.front().value, higher_is_better ? *distinct.begin() : *distinct.rbegin());
      QCOMPARE(marks.back().value, higher_is_better ? *distinct.rbegin() : *distinct.begin());
      for (const charts::ScaleMark& mark : marks)
        QVERIFY(std::abs(scale.brightness(mark.value) - mark.brightness) < 1e-9);
    }
  }

  void lines_are_coloured_by_rank() {
    for (const bool higher_is_better : {true, false}) {
      const std::vector<double> speeds = higher_is_better ? std::vector{1.0, 300.0, 310.0, 320.0, 330.0}
                                                          : std::vector{9000.0, 8.0, 7.0, 6.0, 5.0};
      const std::vector<std::int64_t> rows{0, 1, 2, 3, 4};
      const std::vector<std::int64_t> brushed{0, 1};
      const std::vector<double> values{1, 2, 3, 4, 5};
      const std::vector<analysis::ParallelColumn> columns{{values, false}, {values, false}};
      charts::ParallelData data = parallel_data({values, values}, {speeds, rows});
      data.quantity = QStringLiteral("speed");
      data.higher_is_better = higher_is_better;
      data.coordinates = analysis::parallel_coordinates(columns, {speeds, higher_is_better}, rows, {});
      const auto chart = shown_chart<charts::ParallelChart>(chart_size);
      chart->set_data(data);
      const QImage image = chart->to_image(1);
      for (std::size_t place = 0; place < values.size(); ++place) {
        const QPointF middle = (chart->position_of(0, place) + chart->position_of(1, place)) / 2;
        const QColor band =
            image.pixelColor(static_cast<int>(middle.x()), static_cast<int>(std::floor(middle.y())));
        const QColor over = style::colours().surface;
        const QColor full = charts::viridis_ink(static_cast<double>(place) / 4).colour;
        constexpr double opacity = 0.8;  // of a few lines
        for (const auto channel : {&QColor::red, &QColor::green, &QColor::blue}) {
          const double expected = opacity * (full.*channel)() + (1 - opacity) * (over.*channel)();
          QVERIFY(std::abs((band.*channel)() - expected) <= 3);
        }
      }
      const QByteArray svg = chart->to_svg();
      QVERIFY(svg.contains("by rank"));
      for (const double speed : {speeds[0], speeds[1], speeds[2], speeds[3]})
        QVERIFY(svg.contains('>' + style::format_number(speed, 3).toUtf8() + '<'));
      QVERIFY(svg.contains('>' + style::format_number(speeds[4], 3).toUtf8() + " GFLOPS<"));
      QVERIFY(svg.contains("colour: speed of a trial, by rank"));
      // The colours of what is brushed are ranked among themselves; all else is pale, as the legend says.
      QVERIFY(!svg.contains(">not selected<"));
      data.coordinates = analysis::parallel_coordinates(columns, {speeds, higher_is_better}, rows, brushed);
      chart->set_data(data);
      const QByteArray brushed_svg = chart->to_svg();
      QVERIFY(brushed_svg.contains(">not selected<"));
      QVERIFY(brushed_svg.contains("colour: speed of a trial, by rank"));
      QVERIFY(brushed_svg.contains('>' + style::format_number(speeds[1], 3).toUtf8() + " GFLOPS<"));
      QVERIFY(!brushed_svg.contains('>' + style::format_number(speeds[2], 3).toUtf8() + '<'));
      QVERIFY(!brushed_svg.contains('>' + style::format_number(speeds[4], 3).toUtf8() + " GFLOPS<"));
      // In little room it names fewer values, and covers nothing.
      chart->resize(300, 200);
      QVERIFY(!chart->to_svg().contains('>' + style::format_number(speeds[1], 3).toUtf8() + '<'));
      check_painting(*chart);
    }
  }

  /** A line for each of 2,000 trials, and bands for more; the legend says what the colours are. */
  void many_trials_are_bands() {
    for (const std::size_t count : {std::size_t{2000}, std::size_t{2001}}) {
      std::vector<double> values;
      std::vector<double> speeds;
      std::vector<std::int64_t> rows;
      for (std::size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<double>(i % 10));
        speeds.push_back(100 + static_cast<double>(i));
        rows.push_back(static_cast<std::int64_t>(i));
      }
      const std::vector<analysis::ParallelColumn> columns{{values, false}, {values, false}};
      charts::ParallelData data = parallel_data({values, values}, {speeds, rows});
      data.quantity = QStringLiteral("speed");
      const bool lines = count <= analysis::ParallelCoordinates::max_lines;
      QCOMPARE(data.coordinates.lines.size(), lines ? count : std::size_t{0});
      const auto chart = shown_chart<charts::ParallelChart>(chart_size);
      chart->set_data(data);
      QVERIFY(
          chart->to_svg().contains(lines ? "colour: speed of a trial" : "colour: best speed of a band, by"));
      // Of a large selection, each band has the colour of its best selected trial.
      data.coordinates = analysis::parallel_coordinates(columns, {speeds, true}, rows, rows);
      chart->set_data(data);
      QVERIFY(chart->to_svg().contains(lines ? "colour: speed of a trial" : "selected trials, by rank"));
      const std::vector<std::int64_t> few(rows.begin(), rows.begin() + 30);
      data.coordinates = analysis::parallel_coordinates(columns, {speeds, true}, rows, few);
      QCOMPARE(data.coordinates.lines.size(), few.size());
      chart->set_data(data);
      QVERIFY(chart->to_svg().contains("colour: speed of a trial"));
    }
  }
};

KERNELSCAPE_TEST(PerformanceColoursTest, QApplication)

}  // namespace kernelscape::performance_colours_test

#include "performance_colours_test.moc"
