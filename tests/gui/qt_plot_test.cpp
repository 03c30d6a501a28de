#include "ui/charts/qt_plot.h"

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "tests/test_program.h"
#include "ui/charts/painter_canvas.h"
#include "ui/charts/svg_canvas.h"

namespace kernelscape::qt_plot_test {
namespace {

using Points = std::vector<QPointF>;

std::mt19937_64 seeded() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return std::mt19937_64(seed);
}

/** x from 0 to 10, y from 1 to 100. */
charts::PlotFrame some_frame(charts::AxisScale y = charts::AxisScale::Linear) {
  charts::PlotFrame frame;
  frame.plot = QRectF(40, 20, 400, 200);
  frame.x.range = {0, 10};
  frame.y = {.scale = y, .range = {1, 100}};
  return frame;
}

QByteArray svg_by(charts::QtPlot& plot, const charts::PlotFrame& frame,
                  const std::vector<charts::PlotSeries>& series) {
  charts::SvgCanvas canvas({500, 300}, {});
  plot.paint(canvas, frame, series);
  return canvas.document();
}

QByteArray svg_of(const charts::PlotFrame& frame, const std::vector<charts::PlotSeries>& series) {
  charts::QtPlot plot;
  return svg_by(plot, frame, series);
}

/** The points of all elements of a kind. */
std::vector<Points> shapes_of(const QByteArray& svg, const QString& element) {
  const QRegularExpression pattern(QStringLiteral("<%1 points=\"([^\"]*)\"").arg(element));
  std::vector<Points> shapes;
  for (auto found = pattern.globalMatch(QString::fromUtf8(svg)); found.hasNext();) {
    Points points;
    const QStringList pairs = found.next().captured(1).split(QLatin1Char(' '));
    for (const QString& pair : pairs)
      points.emplace_back(pair.section(QLatin1Char(','), 0, 0).toDouble(),
                          pair.section(QLatin1Char(','), 1).toDouble());
    shapes.push_back(std::move(points));
  }
  return shapes;
}

/** SVG has hundredths of pixels. */
bool near(QPointF first, QPointF second) {
  return std::max(std::abs(first.x() - second.x()), std::abs(first.y() - second.y())) < 0.011;
}

charts::PlotLine accent_line(Points points) { return {std::move(points), {charts::accent_ink(), 2}}; }

/** Any kind of series, with gaps and values that an axis cannot show. */
charts::PlotSeries random_series(std::mt19937_64& random) {
  const auto value = [&](double to) {
    return random() % 9 == 0 ? std::nan("") : static_cast<double>(random() % 1000) / 1000 * to - 1;
  };
  Points first;
  Points second;
  for (std::uint64_t point = 0; point < 2 + random() % 20; ++point) {
    first.emplace_back(static_cast<double>(point), value(120));
    second.emplace_back(static_cast<double>(point), value(120));
  }
  switch (random() % 3) {
    case 0:
      return charts::PlotLine{first, {charts::arm_ink(random() % 8), 1.5, {3, 2}}};
    case 1:
      return charts::PlotArea{first, second, charts::arm_ink(random() % 8)};
    default:
      return charts::PlotBar{
          {value(5), 6}, {1, value(120)}, charts::category_fill(trial::ErrorCategory::RunTimeout)};
  }
}

}  // namespace

class QtPlotTest : public QObject {
  Q_OBJECT

 private slots:
  void the_plot_is_the_frames() {
    for (const charts::AxisScale scale : {charts::AxisScale::Linear, charts::AxisScale::Log10}) {
      const charts::PlotFrame frame = some_frame(scale);
      const auto lines = shapes_of(svg_of(frame, {accent_line({{0, 1}, {10, 100}})}), "polyline");
      QCOMPARE(lines.size(), std::size_t{1});
      QVERIFY(near(lines[0].front(), frame.plot.bottomLeft()));
      QVERIFY(near(lines[0].back(), frame.plot.topRight()));
    }
  }

  void lines_lie_where_the_frame_says() {
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 50; ++round) {
      const charts::PlotFrame frame =
          some_frame(round % 2 == 0 ? charts::AxisScale::Linear : charts::AxisScale::Log10);
      Points values;
      for (int x = 0; x <= 10; ++x) values.emplace_back(x, 1 + static_cast<double>(random() % 9900) / 100);
      const auto lines = shapes_of(svg_of(frame, {accent_line(values)}), "polyline");
      QCOMPARE(lines.size(), std::size_t{1});
      QCOMPARE(lines[0].size(), values.size());
      for (std::size_t point = 0; point < values.size(); ++point)
        QVERIFY(near(lines[0][point], frame.map(values[point].x(), values[point].y())));
    }
  }

  void gaps_stay_gaps() {
    const Points values{{0, 10}, {1, 20}, {2, std::nan("")}, {3, 30}, {4, 40}, {5, HUGE_VAL}, {6, 5}, {7, 6}};
    QCOMPARE(shapes_of(svg_of(some_frame(), {accent_line(values)}), "polyline").size(), std::size_t{3});
    const charts::PlotArea band{
        values, {{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}, {5, 2}, {6, 2}, {7, 2}}, charts::accent_ink()};
    QCOMPARE(shapes_of(svg_of(some_frame(), {band}), "polygon").size(), std::size_t{3});
    // A logarithmic axis has no place for 0: a line ends there, a band reaches down to the border.
    const charts::PlotFrame frame = some_frame(charts::AxisScale::Log10);
    QCOMPARE(shapes_of(svg_of(frame, {accent_line({{0, 10}, {1, 20}, {2, 0}, {3, 9}, {4, 9}})}), "polyline")
                 .size(),
             std::size_t{2});
    const auto areas = shapes_of(
        svg_of(frame, {charts::PlotArea{
                          {{0, 10}, {5, 20}, {9, 10}}, {{0, 0}, {5, 0}, {9, 0}}, charts::accent_ink()}}),
        "polygon");
    QCOMPARE(areas.size(), std::size_t{1});
    QVERIFY(std::ranges::any_of(areas[0], [&](QPointF point) { return near(point, frame.map(5, 1)); }));
    QVERIFY(svg_of(frame, {accent_line({}), accent_line({{1, 1}}), charts::PlotArea{}}).indexOf("<poly") < 0);
  }

  void a_column_of_pixels_has_two_points_at_most() {
    std::mt19937_64 random = seeded();
    const charts::PlotFrame frame = some_frame();
    constexpr int columns = 800;  // SVG has two pixels for a logical one
    constexpr int points_of_a_column = 10;
    Points values;
    double highest = 0;
    for (int point = 0; point < columns * points_of_a_column; ++point) {
      values.emplace_back((point + 0.5) * 10 / (columns * points_of_a_column),
                          1 + static_cast<double>(random() % 9900) / 100);
      highest = std::max(highest, values.back().y());
    }
    const auto lines = shapes_of(svg_of(frame, {accent_line(values)}), "polyline");
    QCOMPARE(lines.size(), std::size_t{1});
    std::array<int, columns> counts{};
    double top = frame.plot.bottom();
    for (const QPointF& point : lines[0]) {
      ++counts.at(static_cast<std::size_t>((point.x() - frame.plot.left()) * columns / frame.plot.width()));
      top = std::min(top, point.y());
    }
    QCOMPARE(std::ranges::max(counts), 2);
    QCOMPARE(std::ranges::min(counts), 2);
    QVERIFY2(std::abs(top - frame.map_y(highest)) < 0.011, "the highest point is kept");
  }

  void no_step_is_drawn_that_never_happened() {
    // Many values in a column of pixels, then none for long.
    const Points values{{0, 50}, {5, 90}, {5.001, 10}, {5.002, 50}, {5.003, 30}, {9, 60}, {10, 60}};
    const charts::PlotFrame frame = some_frame();
    const auto level_or_upright = [](const Points& line) {
      for (std::size_t point = 1; point < line.size(); ++point)
        if (std::abs(line[point].x() - line[point - 1].x()) > 0.01 &&
            std::abs(line[point].y() - line[point - 1].y()) > 0.01)
          return false;
      return true;
    };
    charts::PlotLine steps = accent_line(values);
    steps.stair = true;
    auto lines = shapes_of(svg_of(frame, {steps}), "polyline");
    QCOMPARE(lines.size(), std::size_t{1});
    QVERIFY(level_or_upright(lines[0]));
    QVERIFY(std::ranges::any_of(lines[0], [&](QPointF point) { return near(point, frame.map(9, 30)); }));
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 20; ++round) {
      steps.points.clear();
      for (double x = 0; x < 10; x += static_cast<double>(random() % 1000) / (random() % 2 == 0 ? 1e3 : 1e5))
        steps.points.emplace_back(x, 1 + static_cast<double>(random() % 99));
      lines = shapes_of(svg_of(frame, {steps}), "polyline");
      QCOMPARE(lines.size(), std::size_t{1});
      QVERIFY(level_or_upright(lines[0]));
      // A column stands for all of its points.
      const QPointF end = frame.map(steps.points.back().x(), steps.points.back().y());
      QVERIFY(near({end.x(), lines[0].back().y()}, end) && std::abs(lines[0].back().x() - end.x()) < 1);
    }
    // Where a line goes far on, it leaves where it was.
    lines = shapes_of(svg_of(frame, {accent_line(values)}), "polyline");
    QVERIFY(std::ranges::any_of(lines[0], [&](QPointF point) {
      return std::abs(point.y() - frame.map_y(30)) < 0.01 && std::abs(point.x() - frame.map_x(5)) < 1;
    }));
  }

  void stairs_stay_stairs_and_end_where_they_end() {
    std::mt19937_64 random = seeded();
    const charts::PlotFrame frame = some_frame();
    Points values;
    double best = 100;
    for (int point = 0; point < 50000; ++point) {
      if (random() % 10 == 0) best = 1 + (best - 1) * 0.999;
      values.emplace_back(point / 5000.0, best);
    }
    const auto lines = shapes_of(svg_of(frame, {accent_line(charts::stair(values))}), "polyline");
    QCOMPARE(lines.size(), std::size_t{1});
    for (std::size_t point = 1; point < lines[0].size(); ++point)
      QVERIFY(lines[0][point].x() == lines[0][point - 1].x() ||
              lines[0][point].y() == lines[0][point - 1].y());
    QVERIFY(near(lines[0].front(), frame.map(0, values.front().y())));
    QVERIFY(std::abs(lines[0].back().y() - frame.map_y(best)) < 0.011);
  }

  void what_lies_far_outside_is_cut() {
    charts::PlotFrame frame = some_frame();
    frame.x.range = {4, 4.001};
    for (const double far : {10.0, 1e6, 1e12, 1e300}) {
      const auto lines = shapes_of(svg_of(frame, {accent_line({{-far, 50}, {far, 50}})}), "polyline");
      QCOMPARE(lines.size(), std::size_t{1});
      QVERIFY(near(lines[0].front(), {frame.plot.left(), frame.map_y(50)}));
      QVERIFY(near(lines[0].back(), {frame.plot.right(), frame.map_y(50)}));
    }
  }

  void bars_have_their_hatch_and_a_pixel_at_least() {
    const charts::PlotFrame frame{
        .plot = QRectF(40, 20, 400, 200), .x = {.range = {0, 10}}, .y = charts::row_axis(4), .lanes = {}};
    const charts::Fill fill = charts::category_fill(trial::ErrorCategory::RunTimeout);
    QVERIFY(fill.hatch != style::Hatch::Solid);
    const QByteArray svg = svg_of(frame, {charts::PlotBar{{0, 5}, charts::row_interval(0, 0.5), fill}});
    QVERIFY2(svg.contains("<rect x=\"40\" y=\"32.5\" width=\"200\" height=\"25\""),
             "the first row is the top one");
    QVERIFY(svg.contains(QByteArray::fromStdString(fill.ink.role) + "-fill"));
    QVERIFY(svg.contains(QByteArray::fromStdString(fill.hatch_ink.role) + "-line") ||
            svg.contains(QByteArray::fromStdString(fill.hatch_ink.role) + "-fill"));
    const QByteArray thin =
        svg_of(frame, {charts::PlotBar{{2, 2.0001}, charts::row_interval(3), {charts::accent_ink()}}});
    QVERIFY(thin.contains("<rect x=\"120\" y=\"170\" width=\"1\" height=\"50\""));
    for (const double end : {2.0, HUGE_VAL, std::nan("")})
      QVERIFY(!svg_of(frame, {charts::PlotBar{{2, end}, charts::row_interval(3), fill}}).contains("<rect"));
  }

  void roles_of_the_same_colour_stay_apart_in_both_themes() {
    for (const style::Colours* theme : {&style::light_colours(), &style::dark_colours()}) {
      const style::ColoursScope scope(*theme);
      charts::Ink other = charts::accent_ink();
      other.role = "other";
      charts::Ink band = charts::accent_ink();
      band.role = "band";
      band.colour.setAlphaF(0.25F);
      const std::vector<charts::PlotSeries> series{
          charts::PlotArea{{{0, 60}, {10, 60}}, {{0, 40}, {10, 40}}, band},
          charts::PlotLine{{{0, 90}, {10, 90}}, {charts::accent_ink(), 3}},
          charts::PlotLine{{{0, 10}, {10, 10}}, {other, 3, {2, 2}}}};
      const QByteArray svg = svg_of(some_frame(), series);
      for (const char* name : {".accent-line", ".other-line", ".band-fill"})
        QVERIFY2(svg.contains(name), name);
      QVERIFY(svg.contains(theme->accent.name().toLatin1()) && svg.contains("stroke-dasharray=\"6 6\""));
      QVERIFY(svg.contains("fill-opacity: 0.25"));
      QImage image(500, 300, QImage::Format_RGB32);
      image.fill(theme->surface);
      QPainter painter(&image);
      charts::PainterCanvas canvas(painter);
      charts::QtPlot plot;
      plot.paint(canvas, some_frame(), series);
      painter.end();
      QCOMPARE(image.pixelColor(some_frame().map(5, 90).toPoint()), theme->accent);
      const QColor shaded = image.pixelColor(some_frame().map(5, 50).toPoint());
      QVERIFY(shaded != theme->surface && shaded != theme->accent);
    }
  }

  void what_was_painted_before_leaves_no_trace() {
    std::mt19937_64 random = seeded();
    charts::QtPlot plot;
    for (int round = 0; round < 60; ++round) {
      charts::PlotFrame frame =
          some_frame(random() % 2 == 0 ? charts::AxisScale::Linear : charts::AxisScale::Log10);
      frame.plot.setWidth(200 + static_cast<double>(random() % 200));
      std::vector<charts::PlotSeries> series(random() % 6);
      for (charts::PlotSeries& one : series) one = random_series(random);
      QCOMPARE(svg_by(plot, frame, series), svg_of(frame, series));
    }
  }

  void later_series_lie_above() {
    const charts::PlotLine line{{{0, 50}, {10, 50}}, {charts::marked_ink(), 1}};
    const charts::PlotArea area{{{0, 60}, {10, 60}}, {{0, 40}, {10, 40}}, charts::accent_ink()};
    charts::QtPlot plot;
    const QByteArray first = svg_by(plot, some_frame(), {area, line});
    QVERIFY(first.indexOf("marked-line\"") > first.indexOf("accent-fill\""));
    const QByteArray second = svg_by(plot, some_frame(), {line, area});
    QVERIFY(second.indexOf("marked-line\"") < second.indexOf("accent-fill\""));
  }

  void boxes_reach_from_whisker_to_whisker() {
    std::vector<charts::PlotSeries> series;
    charts::add_box(series, {.x = 5,
                             .width = 2,
                             .minimum = 10,
                             .first_quartile = 20,
                             .median = 25,
                             .third_quartile = 50,
                             .maximum = 90,
                             .fill = {charts::surface_ink()},
                             .outline = {charts::accent_ink(), 1},
                             .median_stroke = {charts::marked_ink(), 2}});
    const charts::PlotFrame frame = some_frame();
    const auto lines = shapes_of(svg_of(frame, series), "polyline");
    QCOMPARE(lines.size(), std::size_t{6});
    std::vector<QPointF> corners;
    for (const auto& line : lines) {
      corners.insert(corners.end(), line.begin(), line.end());
      for (std::size_t point = 1; point < line.size(); ++point)
        QVERIFY(qFuzzyCompare(line[point].x(), line[point - 1].x()) ||
                qFuzzyCompare(line[point].y(), line[point - 1].y()));
    }
    const auto [top, bottom] = std::ranges::minmax(corners, {}, [](QPointF point) { return point.y(); });
    QVERIFY(near({frame.map_x(5), top.y()}, frame.map(5, 90)));
    QVERIFY(near({frame.map_x(5), bottom.y()}, frame.map(5, 10)));
    QVERIFY(near(lines[5].front(), frame.map(4, 25)) && near(lines[5].back(), frame.map(6, 25)));
  }
};

KERNELSCAPE_TEST(QtPlotTest, QApplication)

}  // namespace kernelscape::qt_plot_test
#include "qt_plot_test.moc"
