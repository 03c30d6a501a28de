#pragma once

#include <QTest>
#include <QXmlStreamReader>
#include <memory>
#include <random>

#include "core/trial/table.h"
#include "ui/charts/chart.h"

/** Trials for charts, and what every chart has to give. */
namespace kernelscape::chart_tests {

/** Of the task whose trials are drawn. */
inline constexpr double flops = 2e8;

inline std::mt19937_64 seeded() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return std::mt19937_64(seed);
}

/** Batches of four, half a second each trial. */
inline trial::Row row_of(std::int64_t number) {
  trial::Row row;
  row.number = number;
  row.batch = static_cast<std::int32_t>(number / 4);
  row.finished_seconds = static_cast<double>(number) * 0.5;
  return row;
}

inline trial::Row valid_row(std::int64_t number, double gflops) {
  trial::Row row = row_of(number);
  row.median_seconds = flops / gflops / 1e9;
  row.first_quartile_seconds = row.median_seconds * 0.99;
  row.third_quartile_seconds = row.median_seconds * 1.01;
  row.sample_count = 7;
  return row;
}

inline trial::Row failed_row(std::int64_t number, trial::ErrorCategory category) {
  trial::Row row = row_of(number);
  row.category = category;
  return row;
}

/** Whether a picture has a colour within two pixels of a point. */
inline bool has_colour_near(const QImage& image, QPointF point, const QColor& colour) {
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const QPoint place(static_cast<int>(point.x()) + dx, static_cast<int>(point.y()) + dy);
      if (image.rect().contains(place) && image.pixel(place) == colour.rgb()) return true;
    }
  return false;
}

template <typename Made>
std::unique_ptr<Made> shown_chart(QSize size) {
  auto chart = std::make_unique<Made>();
  chart->resize(size);
  chart->show();
  return chart;
}

inline bool is_xml(const QByteArray& text) {
  QXmlStreamReader reader(text);
  while (!reader.atEnd()) reader.readNext();
  return !reader.hasError();
}

/** Pictures, names, words and numbers. */
inline void check_painting(charts::Chart& chart) {
  QVERIFY(!chart.to_image(2).isNull());
  QVERIFY(is_xml(chart.to_svg()));
  QVERIFY(!chart.accessibleName().isEmpty());
  QVERIFY(!chart.explanation().isEmpty());
  const charts::Table table = chart.table();
  for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
}

}  // namespace kernelscape::chart_tests
