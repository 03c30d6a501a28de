#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "tests/gui/chart_support.h"
#include "tests/gui/landscape_data.h"
#include "tests/test_program.h"
#include "ui/charts/bars/distribution_chart.h"
#include "ui/charts/bars/effects_chart.h"
#include "ui/charts/bars/importance_chart.h"
#include "ui/charts/curves/cumulative_chart.h"
#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/charts/landscape/parallel_chart.h"

namespace kernelscape::explore_charts_test {
namespace {

using namespace chart_tests;

using Brushes = std::vector<std::optional<charts::Brush>>;

Trials random_trials(std::mt19937& random, std::int64_t count) {
  Trials trials;
  std::lognormal_distribution<double> speed(4, 0.5);
  for (std::int64_t row = 0; row < count; ++row) {
    const bool failed = random() % 4 == 0;
    trials.speeds.push_back(failed ? std::nan("") : speed(random));
    trials.rows.push_back(row);
  }
  return trials;
}

std::vector<qint64> rows_between(const Trials& trials, double low, double high, bool closed) {
  std::vector<qint64> rows;
  for (const std::int64_t row : trials.rows) {
    const double speed = trials.speeds[static_cast<std::size_t>(row)];
    if (speed >= low && (speed < high || (closed && speed == high))) rows.push_back(row);
  }
  return rows;
}

charts::DistributionData distribution_data(const Trials& trials, bool logarithmic) {
  charts::DistributionData data{
      QStringLiteral("speed"), QStringLiteral("GFLOPS"), {}, {}, {}, logarithmic, {}};
  data.histogram = analysis::histogram(trials.performance(), trials.rows, 20, logarithmic);
  for (const std::int64_t count : data.histogram.counts) data.highlighted.push_back(count / 3);
  data.rows_between = [trials](double low, double high, bool closed) {
    return rows_between(trials, low, high, closed);
  };
  return data;
}

charts::EffectsData effects_data(std::mt19937& random, std::size_t boxes) {
  charts::EffectsData data{
      QStringLiteral("tile[1]"), QStringLiteral("speed"), QStringLiteral("GFLOPS"), true, {}, {}};
  for (std::size_t index = 0; index < boxes; ++index) {
    charts::EffectBox box;
    box.label = QString::number(1 << index);
    std::vector<double> speeds;
    const std::size_t valid = index == 0 ? 3 : index == 1 ? 0 : 5 + random() % 50;
    for (std::size_t trial = 0; trial < valid; ++trial)
      speeds.push_back(100 + static_cast<double>(random() % 1000));
    box.valid = std::ssize(speeds);
    box.count = box.valid + static_cast<std::int64_t>(random() % 5) + 1;
    box.performance = analysis::quartiles(speeds);
    if (valid < 5) box.points = speeds;
    data.boxes.push_back(std::move(box));
  }
  return data;
}

/** Three axes: of 3, 4 and 2 values. */
charts::ParallelData small_parallel(std::mt19937& random, Trials& trials) {
  trials = random_trials(random, 400);
  std::vector<std::vector<double>> columns(3);
  for (std::size_t row = 0; row < 400; ++row) {
    columns[0].push_back(static_cast<double>(1 << (row % 3)));
    columns[1].push_back(static_cast<double>(row / 3 % 4));
    columns[2].push_back(static_cast<double>(random() % 2));
  }
  return parallel_data(columns, trials);
}

}  // namespace

class ExploreChartsTest : public QObject {
  Q_OBJECT

 private:
  std::mt19937 random_;

 private slots:
  void initTestCase() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    random_.seed(seed);
  }

  void bars_of_a_distribution_select_their_range() {
    for (const bool logarithmic : {false, true}) {
      const Trials trials = random_trials(random_, 500);
      const auto chart = shown_chart<charts::DistributionChart>(chart_size);
      const charts::DistributionData data = distribution_data(trials, logarithmic);
      chart->set_data(data);
      QSignalSpy spy(chart.get(), &charts::DistributionChart::range_activated);
      const charts::PlotFrame frame = chart->frame();
      const std::vector<double>& edges = data.histogram.edges;
      for (std::size_t bin = 0; bin < data.histogram.counts.size(); ++bin) {
        const double middle = (frame.map_x(edges[bin]) + frame.map_x(edges[bin + 1])) / 2;
        QTest::mouseClick(chart.get(), Qt::LeftButton, {}, QPoint(static_cast<int>(middle), 200));
        QCOMPARE(spy.size(), static_cast<qsizetype>(bin + 1));
        QCOMPARE(spy.back()[0].toDouble(), edges[bin]);
        QCOMPARE(spy.back()[1].toDouble(), edges[bin + 1]);
        QCOMPARE(spy.back()[2].toBool(), bin + 2 == edges.size());
      }
      check_painting(*chart);
    }
  }

  void a_bar_is_as_high_as_its_count_and_marked_where_selected() {
    const Trials trials = random_trials(random_, 500);
    const auto chart = shown_chart<charts::DistributionChart>(chart_size);
    const charts::DistributionData data = distribution_data(trials, false);
    chart->set_data(data);
    const charts::PlotFrame frame = chart->frame();
    const QImage image = chart->to_image(1);
    for (std::size_t bin = 0; bin < data.histogram.counts.size(); ++bin) {
      const double x =
          (frame.map_x(data.histogram.edges[bin]) + frame.map_x(data.histogram.edges[bin + 1])) / 2;
      const double top = frame.map_y(static_cast<double>(data.histogram.counts[bin]));
      const double marked = frame.map_y(static_cast<double>(data.highlighted[bin]));
      const auto colour = [&](double y) {
        return image.pixelColor(static_cast<int>(x), static_cast<int>(y));
      };
      if (frame.plot.bottom() - marked > 4) QCOMPARE(colour(marked + 2), style::colours().marked);
      if (marked - top > 4) QCOMPARE(colour(top + 2), style::colours().accent);
      if (top - frame.plot.top() > 4) QVERIFY(colour(top - 3) != style::colours().accent);
    }
  }

  void a_range_of_a_distribution_is_selected_with_control() {
    const Trials trials = random_trials(random_, 500);
    const auto chart = shown_chart<charts::DistributionChart>(chart_size);
    chart->set_data(distribution_data(trials, false));
    std::vector<qint64> selected;
    connect(chart.get(), &charts::XyChart::rows_selected, chart.get(),
            [&](const std::vector<qint64>& rows) { selected = rows; });
    const charts::PlotFrame frame = chart->frame();
    const QPoint from(static_cast<int>(frame.plot.left()) + 50, 150);
    const QPoint to(static_cast<int>(frame.plot.left()) + 250, 250);
    QTest::mousePress(chart.get(), Qt::LeftButton, Qt::ControlModifier, from);
    QTest::mouseMove(chart.get(), to);
    QTest::mouseRelease(chart.get(), Qt::LeftButton, Qt::ControlModifier, to);
    QCOMPARE(selected, rows_between(trials, frame.x_at(from.x()), frame.x_at(to.x()), true));
    QVERIFY(!selected.empty());
  }

  void arrows_skip_empty_bins() {
    const auto chart = shown_chart<charts::DistributionChart>(chart_size);
    charts::DistributionData data{QStringLiteral("speed"), QStringLiteral("GFLOPS"), {}, {}, {}, false, {}};
    data.histogram = {{1, 2, 3, 4, 5}, {7, 0, 0, 2}, 9, 0};
    chart->set_data(data);
    QSignalSpy spy(chart.get(), &charts::DistributionChart::range_activated);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(spy.size(), 1);
    QCOMPARE(spy.back()[0].toDouble(), 4.0);
    QCOMPARE(spy.back()[2].toBool(), true);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(spy.back()[0].toDouble(), 4.0);
  }

  void the_cumulative_distribution_reads_from_the_top() {
    const Trials trials = random_trials(random_, 300);
    const auto chart = shown_chart<charts::CumulativeChart>(chart_size);
    charts::CumulativeData data{{}, 300, QStringLiteral("trials")};
    for (const analysis::TopPoint& point : analysis::distribution_from_top(trials.performance(), trials.rows))
      data.points.push_back({point, {}});
    chart->set_data(data);
    const double best = *std::ranges::max_element(
        trials.speeds, [](double a, double b) { return (std::isnan(a) ? 0 : a) < (std::isnan(b) ? 0 : b); });
    QSignalSpy spy(chart.get(), &charts::CumulativeChart::within_activated);
    const charts::PlotFrame frame = chart->frame();
    for (int x = static_cast<int>(frame.plot.left()) + 2; x < frame.plot.right() - 2; x += 37) {
      const double below = frame.x_at(x) / 100;
      const auto within =
          std::ranges::count_if(trials.speeds, [&](double speed) { return speed >= best * (1 - below); });
      const auto readout = chart->readout_at({static_cast<double>(x), frame.plot.center().y()});
      QVERIFY(readout);
      QVERIFY2(readout->lines[1].startsWith(QString::number(within) + QStringLiteral(" of 300 ")),
               qPrintable(readout->lines[1]));
      QTest::mouseClick(chart.get(), Qt::LeftButton, {}, QPoint(x, 200));
      QVERIFY(std::abs(spy.back()[0].toDouble() - below) < 1e-9);
    }
    QTest::keyClick(chart.get(), Qt::Key_L);
    QCOMPARE(chart->y_axis().scale, charts::AxisScale::Log10);
    check_painting(*chart);
  }

  void boxes_can_be_clicked_and_walked() {
    const auto chart = shown_chart<charts::EffectsChart>(chart_size);
    chart->set_data(effects_data(random_, 6));
    QSignalSpy spy(chart.get(), &charts::EffectsChart::box_activated);
    for (int index = 0; index < 6; ++index) {
      QTest::keyClick(chart.get(), Qt::Key_Right);
      QVERIFY(chart->readout());
      QVERIFY(chart->readout()->lines[0].endsWith(QString::number(1 << index)));
      QTest::keyClick(chart.get(), Qt::Key_Return);
      QCOMPARE(spy.back()[0].toInt(), index);
      const QPointF at = chart->readout()->position;
      QTest::mouseClick(chart.get(), Qt::LeftButton, {}, at.toPoint());
      QCOMPARE(spy.size(), 2 * (index + 1));
      QCOMPARE(spy.back()[0].toInt(), index);
    }
    check_painting(*chart);
  }

  void fewer_than_five_are_points() {
    const auto chart = shown_chart<charts::EffectsChart>(chart_size);
    charts::EffectsData data = effects_data(random_, 3);
    chart->set_data(data);
    const auto accent_in_columns = [&] {
      const QImage image = chart->to_image(1);
      int found = 0;
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width() / 3; ++x)
          found += image.pixelColor(x, y) == style::colours().accent ? 1 : 0;
      return found;
    };
    const int with_points = accent_in_columns();
    QVERIFY(with_points > 0);
    data.boxes[0].points.clear();
    chart->set_data(data);
    QCOMPARE(accent_in_columns(), 0);
  }

  void cells_have_their_colour_and_can_be_clicked() {
    const auto chart = shown_chart<charts::HeatMapChart>(chart_size);
    charts::HeatMapData data = heat_map_data(random_, 5, 4);
    data.measure = charts::HeatMeasure::ShareValid;
    chart->set_data(data);
    const QImage image = chart->to_image(1);
    QSignalSpy spy(chart.get(), &charts::HeatMapChart::cell_activated);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 5; ++x) {
        const analysis::HeatCell& cell = data.cells[static_cast<std::size_t>(y * 5 + x)];
        const QPointF centre = chart->readout()->position;
        QTest::mouseClick(chart.get(), Qt::LeftButton, {}, centre.toPoint());
        QCOMPARE(spy.back()[0].toInt(), x);
        QCOMPARE(spy.back()[1].toInt(), y);
        // Beside the number in its middle.
        const QColor colour =
            image.pixelColor(static_cast<int>(centre.x()) - 35, static_cast<int>(centre.y()) - 20);
        const double step = std::round(cell.share_valid() * 64) / 64;
        QCOMPARE(colour.rgb(), (cell.count > 0 ? style::viridis(step) : style::colours().surface).rgb());
        QTest::keyClick(chart.get(), Qt::Key_Right);
      }
      for (int x = 0; x < 4; ++x) QTest::keyClick(chart.get(), Qt::Key_Left);
      QTest::keyClick(chart.get(), Qt::Key_Up);
    }
    check_painting(*chart);
  }

  /** 277.9 and 278.7 GFLOPS are the same to whoever looks. */
  void nearly_equal_values_have_nearly_one_colour() {
    const auto chart = shown_chart<charts::HeatMapChart>(chart_size);
    charts::HeatMapData data = heat_map_data(random_, 2, 1);
    data.cells = {{.count = 9, .valid = 9, .best = 277.9, .mean = 270},
                  {.count = 9, .valid = 9, .best = 278.7, .mean = 270}};
    chart->set_data(data);
    // The middle of a range of 5 %: 0.5 -+ 0.4 / 13.9.
    QVERIFY(chart->to_svg().contains("all within 0.287 %"));
    const QImage image = chart->to_image(1);
    for (const double step : {30.0, 34.0}) {
      QTest::keyClick(chart.get(), Qt::Key_Right);
      const QPoint beside = chart->readout()->position.toPoint() - QPoint(35, 20);
      QCOMPARE(image.pixelColor(beside).rgb(), style::viridis(step / 64).rgb());
    }
    data.cells[0].best = 100;
    chart->set_data(data);
    QVERIFY(!chart->to_svg().contains("all within"));
    check_painting(*chart);
  }

  void predictions_are_distinguished_from_measurements() {
    const auto chart = shown_chart<charts::HeatMapChart>(chart_size);
    charts::HeatMapData data = heat_map_data(random_, 3, 2);
    data.measure = charts::HeatMeasure::Predicted;
    data.cells = {{.count = 12, .valid = 9, .best = 322, .mean = 290}, {.count = 1}, {}, {}, {}, {}};
    data.beliefs = {{32, 310.4, 22.34, 0.97}, {8, 100, 5, 0.25}, {32, 200, 151, {}}, {}, {1, 50, 0, 1}, {}};
    chart->set_data(data);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    const QStringList first = chart->readout()->lines;
    QVERIFY(first.contains(
        QStringLiteral("predicted 310.4 GFLOPS (± 22 GFLOPS), probability of being valid 97 %")));
    QVERIFY(first.contains(QStringLiteral("measured: 12 trials, best 322 GFLOPS")));
    QTest::keyClick(chart.get(), Qt::Key_Right);
    const QStringList second = chart->readout()->lines;
    QVERIFY(second.contains(
        QStringLiteral("predicted 100 GFLOPS (± 5 GFLOPS), probability of being valid 25 %")));
    QVERIFY(second.contains(QStringLiteral("measured: 1 trial, none valid")));
    QTest::keyClick(chart.get(), Qt::Key_Right);
    const QStringList third = chart->readout()->lines;
    QVERIFY(third.contains(QStringLiteral("predicted 200 GFLOPS (± 150 GFLOPS)")));
    QVERIFY(third.contains(QStringLiteral("not measured")));
    QTest::keyClick(chart.get(), Qt::Key_Up);
    QVERIFY(chart->readout()->lines.contains(QStringLiteral("no feasible configuration found")));
    QVERIFY(chart->summary().contains(QStringLiteral("310.4 GFLOPS at tile_x[1] = 0, tile_y[1] = 0")));
    for (const char* word : {"measured", "measured, none valid", "prediction only", "none feasible"})
      QVERIFY(chart->to_svg().contains(QByteArray(">") + word + "<"));
    check_painting(*chart);
  }

  /** Only a mark tells a cell that was measured from one that was not. */
  void measured_cells_are_marked_in_every_size() {
    for (const std::size_t cells : {2U, 40U, 64U}) {
      charts::HeatMapChart chart;
      chart.resize(chart_size);
      charts::HeatMapData data = heat_map_data(random_, cells, cells);
      data.measure = charts::HeatMeasure::Predicted;
      data.beliefs.assign(data.cells.size(), {4, 100, 1, {}});
      const auto painted = [&](const analysis::HeatCell& cell) {
        data.cells.assign(data.cells.size(), cell);
        chart.set_data(data);
        return chart.to_image(1).copy(60, 60, 400, 250);
      };
      const QImage measured = painted({.count = 4, .valid = 2});
      const QImage invalid = painted({.count = 4});
      const QImage predicted = painted({});
      QVERIFY(measured != predicted);
      QVERIFY(invalid != predicted);
      QVERIFY(measured != invalid);
    }
  }

  void the_table_of_predictions_has_what_is_believed() {
    charts::HeatMapChart chart;
    charts::HeatMapData data = heat_map_data(random_, 4, 3);
    const std::size_t columns_before = [&] {
      chart.set_data(data);
      return chart.table().columns.size();
    }();
    data.measure = charts::HeatMeasure::Predicted;
    for (std::size_t cell = 0; cell < data.cells.size(); ++cell)
      data.beliefs.push_back({static_cast<std::int64_t>(cell % 3), 10.0 + static_cast<double>(cell), 1, 0.5});
    data.beliefs[1].feasibility.reset();
    chart.set_data(data);
    const charts::Table table = chart.table();
    QCOMPARE(table.columns.size(), columns_before + 4);
    const auto place = [&](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
    };
    for (std::size_t cell = 0; cell < data.cells.size(); ++cell) {
      const auto number = [&](const std::string& name) {
        return std::get<double>(table.rows[cell].at(place(name)));
      };
      QCOMPARE(number("feasible configurations"), static_cast<double>(cell % 3));
      QCOMPARE(std::isnan(number("predicted (GFLOPS)")), cell % 3 == 0);
      if (cell % 3 > 0) QCOMPARE(number("predicted (GFLOPS)"), 10.0 + static_cast<double>(cell));
      if (cell % 3 > 0) QCOMPARE(number("deviation (GFLOPS)"), 1.0);
      QCOMPARE(std::isnan(number("probability of being valid")), cell == 1);
    }
    QVERIFY(charts::to_csv(table).find("probability of being valid") != std::string::npos);
  }

  void bars_of_importance_name_their_knobs() {
    const auto chart = shown_chart<charts::ImportanceChart>(chart_size);
    charts::ImportanceData data;
    data.of_what = QStringLiteral("performance");
    data.bars = {{QStringLiteral("tile_x"), 0.6, 2, -1},
                 {QStringLiteral("tile_y"), 0.2, 0, -1},
                 {QStringLiteral("tile_x × tile_y"), 0.1, 2, 0}};
    data.basis = QStringLiteral("Random forest on 100 of 100 valid trials");
    chart->set_data(data);
    QSignalSpy spy(chart.get(), &charts::ImportanceChart::knobs_activated);
    for (const charts::ImportanceBar& bar : data.bars) {
      QTest::keyClick(chart.get(), Qt::Key_Down);
      QTest::keyClick(chart.get(), Qt::Key_Return);
      QCOMPARE(spy.back()[0].toInt(), bar.first);
      QCOMPARE(spy.back()[1].toInt(), bar.second);
      QTest::mouseClick(chart.get(), Qt::LeftButton, {}, chart->readout()->position.toPoint());
      QCOMPARE(spy.back()[0].toInt(), bar.first);
    }
    QCOMPARE(spy.size(), 6);
    check_painting(*chart);
  }

  void an_axis_is_brushed_by_dragging_and_by_clicking() {
    Trials trials;
    const auto chart = shown_chart<charts::ParallelChart>(chart_size);
    chart->set_data(small_parallel(random_, trials));
    Brushes last;
    connect(chart.get(), &charts::ParallelChart::brushed, chart.get(),
            [&](const Brushes& brushes) { last = brushes; });
    const QPoint first = chart->position_of(1, 1).toPoint();
    const QPoint second = chart->position_of(1, 3).toPoint();
    QTest::mousePress(chart.get(), Qt::LeftButton, {}, first);
    QTest::mouseMove(chart.get(), second);
    QTest::mouseRelease(chart.get(), Qt::LeftButton, {}, second);
    QCOMPARE(last, (Brushes{std::nullopt, charts::Brush{1, 3}, std::nullopt}));
    QTest::mouseClick(chart.get(), Qt::LeftButton, {}, chart->position_of(0, 2).toPoint());
    QCOMPARE(last, (Brushes{charts::Brush{4, 4}, charts::Brush{1, 3}, std::nullopt}));
    QTest::mouseClick(chart.get(), Qt::LeftButton, {}, chart->position_of(1, 2).toPoint());
    QCOMPARE(last, (Brushes{charts::Brush{4, 4}, std::nullopt, std::nullopt}));
    check_painting(*chart);
  }

  void an_axis_is_brushed_and_moved_by_keys() {
    Trials trials;
    const auto chart = shown_chart<charts::ParallelChart>(chart_size);
    chart->set_data(small_parallel(random_, trials));
    QSignalSpy moved(chart.get(), &charts::ParallelChart::axis_moved);
    QTest::keyClick(chart.get(), Qt::Key_Right);  // the first value of the first axis
    QTest::keyClick(chart.get(), Qt::Key_Up);
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(chart->brushes(), (Brushes{charts::Brush{2, 2}, std::nullopt, std::nullopt}));
    QTest::keyClick(chart.get(), Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(moved.size(), 1);
    QCOMPARE(moved.back(), (QVariantList{0, 1}));
    QTest::keyClick(chart.get(), Qt::Key_Left, Qt::ControlModifier);  // it stands at the border
    QCOMPARE(moved.size(), 1);
    QTest::keyClick(chart.get(), Qt::Key_Delete);
    QCOMPARE(chart->brushes(), Brushes(3));
  }

  void a_dragged_title_moves_its_axis() {
    Trials trials;
    const auto chart = shown_chart<charts::ParallelChart>(chart_size);
    chart->set_data(small_parallel(random_, trials));
    QSignalSpy moved(chart.get(), &charts::ParallelChart::axis_moved);
    const QPoint from = chart->title_position(2).toPoint();
    const QPoint to = chart->title_position(0).toPoint() + QPoint(10, 0);
    QTest::mousePress(chart.get(), Qt::LeftButton, {}, from);
    QTest::mouseMove(chart.get(), to);
    QTest::mouseRelease(chart.get(), Qt::LeftButton, {}, to);
    QCOMPARE(moved.size(), 1);
    QCOMPARE(moved.back(), (QVariantList{2, 0}));
  }

  void bands_of_the_table_add_up_to_the_trials() {
    Trials trials;
    const auto chart = shown_chart<charts::ParallelChart>(chart_size);
    chart->set_data(small_parallel(random_, trials));
    double sum = 0;
    for (const auto& row : chart->table().rows) sum += std::get<double>(row[4]);
    QCOMPARE(sum, 2.0 * 400);
  }

  void odd_data_are_painted() {
    for (const bool dark : {false, true}) {
      style::apply_theme(*qApp, dark ? style::ThemeChoice::Dark : style::ThemeChoice::Light);
      charts::DistributionChart distribution;
      check_painting(distribution);
      charts::CumulativeChart cumulative;
      check_painting(cumulative);
      charts::EffectsChart effects;
      check_painting(effects);
      charts::HeatMapChart heat_map;
      check_painting(heat_map);
      charts::ImportanceChart importance;
      check_painting(importance);
      charts::ParallelChart parallel;
      check_painting(parallel);
      Trials trials{{1e-30, std::nan(""), 1e30, 7, 7}, {0, 1, 2, 3, 4}};
      distribution.set_data(distribution_data(trials, true));
      check_painting(distribution);
      cumulative.set_data({{{{0, 1, 1}, {{0.2, 1.0}}}}, 1, QStringLiteral("trials")});
      check_painting(cumulative);
      effects.set_data(effects_data(random_, 64));
      check_painting(effects);
      for (const charts::HeatMeasure measure :
           {charts::HeatMeasure::Best, charts::HeatMeasure::Mean, charts::HeatMeasure::ShareValid,
            charts::HeatMeasure::Count, charts::HeatMeasure::Predicted}) {
        charts::HeatMapData data = heat_map_data(random_, 1 + random_() % 64, 1 + random_() % 64);
        data.measure = measure;
        data.higher_is_better = random_() % 2 == 0;
        data.beliefs.resize(data.cells.size());
        for (analysis::BelievedCell& belief : data.beliefs)
          if (random_() % 4 > 0) belief = {1, static_cast<double>(random_() % 100), 1, {}};
        data.highlighted.assign(data.cells.size(), 0);
        for (std::size_t cell = 0; cell < data.cells.size(); ++cell)
          data.highlighted[cell] = data.cells[cell].valid;
        data.current = data.cells.size() - 1;
        heat_map.set_data(std::move(data));
        check_painting(heat_map);
      }
      const double infinity = std::numeric_limits<double>::infinity();
      parallel.set_data(
          parallel_data({{1, 2, infinity, std::nan(""), 1e300},
                         {std::nan(""), std::nan(""), std::nan(""), std::nan(""), std::nan("")}},
                        trials));
      check_painting(parallel);
    }
  }
};

KERNELSCAPE_TEST(ExploreChartsTest, QApplication)

}  // namespace kernelscape::explore_charts_test
#include "explore_charts_test.moc"
