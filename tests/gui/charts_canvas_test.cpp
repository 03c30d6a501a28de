#include <QImage>
#include <QPainter>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/test_program.h"
#include "ui/charts/clipping.h"
#include "ui/charts/painter_canvas.h"
#include "ui/charts/svg_canvas.h"

namespace kernelscape::charts_canvas_test {
namespace {

const QRectF window(100, 50, 200, 120);

std::mt19937_64 seeded() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return std::mt19937_64(seed);
}

QPointF random_point(std::mt19937_64& random) {
  const auto coordinate = [&] { return static_cast<double>(random() % 60000) / 100 - 100; };
  return {coordinate(), coordinate()};
}

bool inside(QPointF point) { return window.adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(point); }

double distance_to_line(QPointF point, QPointF from, QPointF to) {
  const QPointF way = to - from;
  const double length = std::hypot(way.x(), way.y());
  return length == 0 ? 0
                     : std::abs(way.x() * (point.y() - from.y()) - way.y() * (point.x() - from.x())) / length;
}

/** Twice the signed area. */
double area_of(const std::vector<QPointF>& points) {
  double area = 0;
  for (std::size_t index = 0; index < points.size(); ++index) {
    const QPointF& next = points[(index + 1) % points.size()];
    area += points[index].x() * next.y() - next.x() * points[index].y();
  }
  return std::abs(area);
}

/** All that a backend can be asked for, with what may go wrong in it. */
void paint_everything(charts::Canvas& canvas) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<QPointF> points{{0, 0},         {150, 100},      {nan, 60}, {250, 100},
                                    {infinity, 70}, {1e300, -1e300}, {120, 60}};
  const charts::Stroke stroke{charts::accent_ink(), 2, {3, 2}};
  const charts::ClipScope clip(canvas, window);
  canvas.polyline(points, stroke);
  canvas.polyline(points, {charts::text_ink(), 1.5, {}});
  canvas.polygon(points, charts::marked_ink());
  canvas.line({-1e9, 100}, {1e9, 100}, stroke);
  canvas.line({nan, 100}, {200, infinity}, stroke);
  canvas.dots(points, 3, charts::accent_ink());
  canvas.rect(QRectF(0, 0, 1000, 1000), charts::warning_ink());
  canvas.rect(QRectF(nan, 0, infinity, 10), charts::warning_ink());
  for (std::size_t category = 0; category < trial::error_category_count; ++category)
    canvas.rect(QRectF(90, 60, 150, 60), charts::category_fill(static_cast<trial::ErrorCategory>(category)));
  canvas.ring({110, 60}, 30, stroke);
  canvas.text({150, 100}, QStringLiteral("a < b & \"c\" µ \x01"),
              {.ink = charts::text_ink(), .rotation_degrees = -90});
  canvas.text({0, 0}, QStringLiteral("outside"), {.ink = charts::text_ink()});
  QImage image(40, 40, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::red);
  canvas.image(QRectF(80, 30, 60, 60), image);
  canvas.image(QRectF(80, 30, 60, 60), QImage());
}

}  // namespace

class ChartsCanvasTest : public QObject {
  Q_OBJECT

 private slots:
  void lines_are_clipped_as_a_search_along_them_says() {
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 5000; ++round) {
      const QPointF from = random_point(random);
      const QPointF to = random_point(random);
      const auto part = charts::clip_line(from, to, window);
      bool any_inside = false;
      for (int step = 0; step <= 200; ++step)
        any_inside |= window.contains(from + (to - from) * (step / 200.0));
      if (any_inside) QVERIFY(part.has_value());
      if (!part) continue;
      for (const QPointF& end : {part->first, part->second}) {
        QVERIFY(inside(end));
        QVERIFY(distance_to_line(end, from, to) < 1e-6);
      }
      if (window.contains(from)) QCOMPARE(part->first, from);
    }
    QVERIFY(!charts::clip_line({std::nan(""), 0}, {200, 100}, window));
  }

  void polylines_keep_gaps() {
    const std::vector<QPointF> points{{110, 60}, {120, 70}, {std::nan(""), 0}, {130, 70},
                                      {140, 80}, {500, 80}, {500, 90},         {140, 90}};
    const auto pieces = charts::clip_polyline(points, window);
    QCOMPARE(pieces.size(), std::size_t{3});
    QCOMPARE(pieces[0].back(), QPointF(120, 70));
    QCOMPARE(pieces[1].back(), QPointF(300, 80));
    QCOMPARE(pieces[2].front(), QPointF(300, 90));
  }

  void polygons_keep_their_area() {
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 1000; ++round) {
      // A rectangle: its part inside is known.
      const QRectF rectangle = QRectF(random_point(random), random_point(random)).normalized();
      const std::vector<QPointF> corners{rectangle.topLeft(), rectangle.topRight(), rectangle.bottomRight(),
                                         rectangle.bottomLeft()};
      const std::vector<QPointF> kept = charts::clip_polygon(corners, window);
      for (const QPointF& point : kept) QVERIFY(inside(point));
      const QRectF expected = rectangle.intersected(window);
      QVERIFY(std::abs(area_of(kept) - 2 * expected.width() * expected.height()) < 1e-6);
    }
  }

  void svg_is_xml_and_stays_inside_the_clip() {
    charts::SvgCanvas canvas({400, 250}, QStringLiteral("a <title>"));
    paint_everything(canvas);
    const QByteArray document = canvas.document();
    QXmlStreamReader reader(document);
    int elements = 0;
    const auto within = [](double value, double low, double high) {
      return value >= low - 0.01 && value <= high + 0.01;
    };
    while (!reader.atEnd()) {
      if (reader.readNext() != QXmlStreamReader::StartElement) continue;
      const QString name = reader.name().toString();
      const QXmlStreamAttributes attributes = reader.attributes();
      if (name == QLatin1String("svg")) continue;
      ++elements;
      for (const char* key : {"x", "x1", "x2", "cx"})
        if (attributes.hasAttribute(QLatin1String(key)))
          QVERIFY(within(attributes.value(QLatin1String(key)).toDouble(), window.left(), window.right()));
      for (const char* key : {"y1", "y2", "cy"})
        if (attributes.hasAttribute(QLatin1String(key)))
          QVERIFY(within(attributes.value(QLatin1String(key)).toDouble(), window.top(), window.bottom()));
      if (name == QLatin1String("rect") || name == QLatin1String("image")) {
        QVERIFY(within(attributes.value(QLatin1String("x")).toDouble() +
                           attributes.value(QLatin1String("width")).toDouble(),
                       window.left(), window.right()));
        QVERIFY(within(attributes.value(QLatin1String("y")).toDouble() +
                           attributes.value(QLatin1String("height")).toDouble(),
                       window.top(), window.bottom()));
      }
      const QString list = attributes.value(QLatin1String("points")).toString();
      for (const QString& pair : list.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        QVERIFY(inside(
            {pair.section(QLatin1Char(','), 0, 0).toDouble(), pair.section(QLatin1Char(','), 1).toDouble()}));
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QVERIFY(elements > 30);
    QVERIFY(!document.contains("outside") && !document.contains("nan") && !document.contains("inf"));
    QVERIFY(document.contains("sans-serif"));
    QVERIFY(document.contains(
        ".accent-line { fill: none; stroke: " + style::colours().accent.name().toLatin1() + " }"));
    QVERIFY2(!document.contains("fill=\"#"), "colours are classes");
  }

  void svg_is_deterministic_and_pictures_have_two_pixels_per_unit() {
    charts::SvgCanvas first({400, 250}, {});
    charts::SvgCanvas second({400, 250}, {});
    paint_everything(first);
    paint_everything(second);
    QCOMPARE(first.document(), second.document());
    const QByteArray document = first.document();
    const qsizetype start = document.indexOf("base64,") + 7;
    const QImage picture =
        QImage::fromData(QByteArray::fromBase64(document.mid(start, document.indexOf('"', start) - start)));
    QCOMPARE(picture.size(), QSize(80, 80));
  }

  void painter_stays_inside_the_clip() {
    for (const double ratio : {1.0, 2.0}) {
      QImage image(QSize(400, 250) * ratio, QImage::Format_RGB32);
      image.setDevicePixelRatio(ratio);
      image.fill(Qt::white);
      QPainter painter(&image);
      charts::PainterCanvas canvas(painter);
      paint_everything(canvas);
      painter.end();
      int painted = 0;
      for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
          if (image.pixelColor(x, y) == QColor(Qt::white)) continue;
          ++painted;
          QVERIFY(window.adjusted(-1, -1, 1, 1).contains(QPointF(x, y) / ratio));
        }
      }
      QVERIFY(painted > 1000);
    }
  }

  void hatches_leave_both_colours() {
    for (std::size_t index = 1; index < trial::error_category_count; ++index) {
      const charts::Fill fill = charts::category_fill(static_cast<trial::ErrorCategory>(index));
      QImage image(60, 40, QImage::Format_RGB32);
      image.fill(Qt::magenta);
      QPainter painter(&image);
      charts::PainterCanvas canvas(painter);
      canvas.rect(QRectF(5, 5, 50, 30), fill);
      painter.end();
      int plain = 0;
      int other = 0;
      for (int y = 6; y < 34; ++y)
        for (int x = 6; x < 54; ++x) (image.pixelColor(x, y) == fill.ink.colour ? plain : other) += 1;
      QVERIFY2(plain > 300, "the category's colour must dominate");
      QVERIFY2(other > 60, "and the hatch must be seen");
      QCOMPARE(image.pixelColor(2, 2), QColor(Qt::magenta));
    }
  }

  void texts_are_wrapped_and_elided() {
    const QString text =
        QStringLiteral("nothing yet: press Start\nand wait for the first trial of this session");
    const QStringList lines = charts::wrapped(text, style::TextSize::Normal, 120);
    QVERIFY(lines.size() > 2);
    for (const QString& line : lines) QVERIFY(charts::text_width(line, style::TextSize::Normal) <= 120);
    QCOMPARE(lines.join(QLatin1Char(' ')), QString(text).replace(QLatin1Char('\n'), QLatin1Char(' ')));
    QVERIFY(charts::text_width(charts::elided(text, style::TextSize::Small, 80), style::TextSize::Small) <=
            80);
    QCOMPARE(charts::elided(QStringLiteral("ms"), style::TextSize::Small, 80), QStringLiteral("ms"));
  }
};

KERNELSCAPE_TEST(ChartsCanvasTest, QApplication)

}  // namespace kernelscape::charts_canvas_test
#include "charts_canvas_test.moc"
