#include "ui/charts/bars/bar_rows.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "tests/gui/chart_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/phase_chart.h"
#include "ui/charts/svg_canvas.h"

namespace kernelscape::bar_rows_test {
namespace {

using namespace chart_tests;

constexpr double rounding_pixels = 1e-6;

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution(low, high)(random);
}

QString random_name(std::mt19937_64& random) {
  QString name;
  for (std::size_t left = 3 + random() % 30; left > 0; --left)
    name.append(QLatin1Char(static_cast<char>('a' + random() % 26)));
  return name;
}

/** Up to 24 rows of up to 5 parts in up to 3 panels; a quarter of the parts is empty. */
charts::BarRows random_rows(std::mt19937_64& random) {
  charts::BarRows content;
  const std::size_t panels = 1 + random() % 3;
  const std::size_t parts = 1 + random() % 5;
  content.panels.assign(panels, {random() % 2 == 0 ? QString() : random_name(random)});
  if (random() % 2 == 0) content.axis = charts::Axis{QStringLiteral("time"), QStringLiteral("s")};
  if (random() % 2 == 0) content.note = random_name(random) + QLatin1Char(' ') + random_name(random);
  const bool legend = random() % 2 == 0;
  for (std::size_t part = 0; legend && part < parts; ++part) content.part_names.append(random_name(random));
  const bool letters = random() % 2 == 0;
  for (std::size_t left = 1 + random() % 24; left > 0; --left) {
    charts::BarRow row{
        .label = random_name(random), .letter = letters ? QStringLiteral("R") : QString(), .bars = {}};
    for (std::size_t panel = 0; panel < panels; ++panel) {
      charts::Bar bar{{}, random() % 2 == 0 ? QString() : random_name(random)};
      for (std::size_t part = 0; part < parts; ++part)
        bar.parts.push_back({random() % 4 == 0 ? 0 : uniform(random, 1, 1000),
                             {charts::Ink{"part-" + std::to_string(part), Qt::blue}},
                             random() % 2 == 0 ? QString() : QStringLiteral("P")});
      row.bars.push_back(std::move(bar));
    }
    content.rows.push_back(std::move(row));
  }
  return content;
}

double total(const charts::Bar& bar) {
  double sum = 0;
  for (const charts::BarPart& part : bar.parts) sum += part.value;
  return sum;
}

/** Of all parts of a row, in their order. */
std::vector<QRectF> parts_of(const charts::BarLayout& layout, std::size_t row, std::size_t panel = 0) {
  std::vector<QRectF> rectangles;
  for (std::size_t part = 0; part < layout.parts(); ++part)
    rectangles.push_back(layout.part({row, part}, panel));
  return rectangles;
}

bool is_at(const std::optional<charts::BarPlace>& place, std::size_t row, std::size_t part) {
  return place && place->row == row && place->part == part;
}

QByteArray svg_of(const charts::BarLayout& layout, QSizeF size) {
  charts::SvgCanvas canvas(size, QStringLiteral("bars"));
  charts::QtPlot plot;
  layout.paint(canvas, plot);
  return canvas.document();
}

}  // namespace

class BarRowsTest : public QObject {
  Q_OBJECT

 private:
  std::mt19937_64 random_;

  QRectF random_area() {
    return {uniform(random_, 0, 20), uniform(random_, 0, 40), uniform(random_, 300, 1200),
            uniform(random_, 60, 700)};
  }

 private slots:
  void initTestCase() { random_ = seeded(); }

  void parts_add_up_to_bars_that_do_not_overlap() {
    for (int round = 0; round < 200; ++round) {
      const charts::BarRows content = random_rows(random_);
      const charts::BarLayout layout(content, random_area());
      QCOMPARE(layout.shown(), content.rows.size());
      for (std::size_t panel = 0; panel < content.panels.size(); ++panel) {
        const double zero = layout.part({0, 0}, panel).left();
        double longest = 0;
        double most = 0;
        for (std::size_t row = 0; row < layout.shown(); ++row) {
          longest = std::max(longest, parts_of(layout, row, panel).back().right() - zero);
          most = std::max(most, total(content.rows[row].bars[panel]));
        }
        for (std::size_t row = 0; row < layout.shown(); ++row) {
          double end = zero;
          for (std::size_t part = 0; part < layout.parts(); ++part) {
            const QRectF rectangle = layout.part({row, part}, panel);
            const double value = content.rows[row].bars[panel].parts[part].value;
            QVERIFY(std::abs(rectangle.left() - end) < rounding_pixels);
            QVERIFY(std::abs(rectangle.width() * most - value * longest) <
                    rounding_pixels * std::max(1.0, most));
            QVERIFY(rectangle.top() > layout.row(row).top() && rectangle.bottom() < layout.row(row).bottom());
            if (panel > 0) QVERIFY(zero > layout.part({row, layout.parts() - 1}, panel - 1).right());
            end = rectangle.right();
          }
          if (row > 0) QVERIFY(layout.row(row).top() >= layout.row(row - 1).bottom() - rounding_pixels);
        }
      }
    }
  }

  void a_bar_longer_than_its_panel_ends_there_with_a_break() {
    for (int round = 0; round < 100; ++round) {
      charts::BarRows content = random_rows(random_);
      const QRectF area = random_area();
      const charts::BarLayout whole(content, area);
      const std::size_t last = whole.parts() - 1;
      double longest = 0;
      for (const charts::BarRow& row : content.rows) longest = std::max(longest, total(row.bars.front()));
      if (longest == 0) continue;
      content.panels.front().most = longest / 2;
      const charts::BarLayout cut(content, area);
      const double zero = cut.part({0, 0}).left();
      double right = zero;
      for (std::size_t row = 0; row < cut.shown(); ++row)
        right = std::max(right, cut.part({row, last}).right());
      for (std::size_t row = 0; row < cut.shown(); ++row) {
        const double value = total(content.rows[row].bars.front());
        QVERIFY(!whole.is_cut(row));
        QCOMPARE(cut.is_cut(row), value > longest / 2);
        const double shown = std::min(value, longest / 2);
        QVERIFY(std::abs((cut.part({row, last}).right() - zero) * longest / 2 - (right - zero) * shown) <
                rounding_pixels * longest);
      }
      const auto polygons = [](const charts::BarLayout& layout) {
        return svg_of(layout, {1300, 800}).count("<polygon");
      };
      QVERIFY(polygons(cut) > polygons(whole));
    }
  }

  void what_is_pointed_at_is_what_stands_there() {
    for (int round = 0; round < 200; ++round) {
      const QRectF area = random_area();
      const charts::BarLayout layout(random_rows(random_), area);
      for (std::size_t row = 0; row < layout.shown(); ++row)
        for (std::size_t part = 0; part < layout.parts(); ++part) {
          const QRectF rectangle = layout.part({row, part});
          if (rectangle.width() > rounding_pixels || layout.parts() == 1)
            QVERIFY(is_at(layout.at(rectangle.center()), row, part));
        }
      const double x = area.center().x();
      QVERIFY(!layout.at({x, layout.row(0).top() - 1}));
      QVERIFY(!layout.at({x, layout.row(layout.shown() - 1).bottom() + 1}));
    }
  }

  void keys_reach_every_row_and_every_part_in_use() {
    for (int round = 0; round < 200; ++round) {
      const charts::BarLayout layout(random_rows(random_), random_area());
      const std::vector<std::size_t> used = layout.used_parts();
      if (used.empty()) continue;
      auto place = layout.step(std::nullopt, Qt::Key_Down);
      QVERIFY(is_at(place, 0, used.front()));
      for (std::size_t row = 1; layout.parts() == 1 && row < layout.shown(); ++row) {
        place = layout.step(place, row % 2 == 0 ? Qt::Key_Down : Qt::Key_Right);
        QVERIFY(is_at(place, row, 0));
      }
      for (std::size_t row = 1; layout.parts() > 1 && row < layout.shown(); ++row) {
        place = layout.step(place, Qt::Key_Down);
        QVERIFY(is_at(place, row, used.front()));
      }
      const std::size_t last = layout.shown() - 1;
      for (std::size_t index = 1; index < used.size(); ++index) {
        place = layout.step(place, Qt::Key_Right);
        QVERIFY(is_at(place, last, used[index]));
      }
      // There it stays.
      QVERIFY(is_at(layout.step(place, Qt::Key_Right), last, used.back()));
    }
  }

  void names_are_whole_and_fills_keep_their_classes() {
    constexpr QSizeF wide(2400, 900);
    for (int round = 0; round < 50; ++round) {
      const charts::BarRows content = random_rows(random_);
      const QByteArray svg = svg_of(charts::BarLayout(content, QRectF(QPointF(0, 0), wide)), wide);
      QVERIFY(is_xml(svg));
      for (const charts::BarRow& row : content.rows) {
        QVERIFY2(svg.contains('>' + row.label.toUtf8() + '<'), qPrintable(row.label));
        for (const charts::Bar& bar : row.bars) {
          QVERIFY(bar.text.isEmpty() || svg.contains('>' + bar.text.toUtf8() + '<'));
          for (const charts::BarPart& part : bar.parts)
            QVERIFY(part.value == 0 ||
                    svg.contains("class=\"" + QByteArray::fromStdString(part.fill.ink.role) + "-fill\""));
        }
      }
    }
  }

  void rows_without_room_are_left_out_and_counted() {
    for (int round = 0; round < 100; ++round) {
      charts::BarRows content = random_rows(random_);
      for (charts::BarRow& row : content.rows)
        for (charts::Bar& bar : row.bars) bar.text = QString::number(total(bar));
      content.all = false;
      const QRectF area = random_area();
      const charts::BarLayout layout(content, area);
      const QByteArray svg = svg_of(layout, {1300, 800});
      QVERIFY(layout.shown() == 0 ||
              layout.row(layout.shown() - 1).bottom() <= area.bottom() + rounding_pixels);
      QCOMPARE(svg.contains(" more, each at most "), layout.shown() < content.rows.size());
      content.all = true;
      QCOMPARE(charts::BarLayout(content, area).shown(), content.rows.size());
    }
  }

  void bars_are_painted_where_they_are_said_to_be() {
    charts::PhaseChart chart;
    chart.resize(900, 400);
    std::vector<charts::ArmPhases> arms;
    for (std::size_t arm = 0; arm < 6; ++arm)
      arms.push_back(
          {arm,
           random_name(random_),
           {uniform(random_, 1, 9), uniform(random_, 1, 9), uniform(random_, 1, 9), uniform(random_, 1, 9)}});
    chart.set_data(arms);
    const QImage image = chart.to_image(1);
    const std::array colours_of = {style::colours().phases.search, style::colours().phases.build,
                                   style::colours().phases.run, style::colours().phases.idle};
    for (std::size_t arm = 0; arm < arms.size(); ++arm)
      for (std::size_t part = 0; part < colours_of.size(); ++part) {
        const QRect inside = chart.part_rect(arm, part).adjusted(2, 2, -2, -2).toAlignedRect();
        int found = 0;
        for (int y = inside.top(); y <= inside.bottom(); ++y)
          for (int x = inside.left(); x <= inside.right(); ++x)
            found += image.pixelColor(x, y) == colours_of[part] ? 1 : 0;
        QVERIFY(found > inside.width() * inside.height() / 3);
      }
  }

  void a_readout_keeps_its_row_and_tells_the_new_numbers() {
    charts::ErrorChart chart;
    chart.resize(800, 300);
    analysis::ErrorBreakdown breakdown;
    breakdown.categories[0] = {400, 20, 30};
    breakdown.categories[2] = {100, 5, 0};
    chart.set_data(breakdown);
    chart.show();
    QTest::keyClick(&chart, Qt::Key_Down);
    QTest::keyClick(&chart, Qt::Key_Down);
    QVERIFY(chart.readout()->lines[1].startsWith(QStringLiteral("100 ")));
    breakdown.categories[2].trials = 150;
    chart.set_data(breakdown);
    QVERIFY(chart.readout()->lines[1].startsWith(QStringLiteral("150 ")));
    chart.set_data({});
    QVERIFY(!chart.readout());
  }
};

KERNELSCAPE_TEST(BarRowsTest, QApplication)

}  // namespace kernelscape::bar_rows_test
#include "bar_rows_test.moc"
