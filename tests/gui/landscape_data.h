#pragma once

#include <QSize>
#include <QString>
#include <cstdint>
#include <random>
#include <vector>

#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/charts/landscape/parallel_chart.h"

namespace kernelscape::chart_tests {

inline constexpr QSize chart_size(700, 420);

/** Performance of random trials; some failed. */
struct Trials {
  std::vector<double> speeds;
  std::vector<std::int64_t> rows;

  analysis::PerformanceColumn performance() const { return {speeds, true}; }
};

/** A map of random cells; some have no trial, some no valid one. */
inline charts::HeatMapData heat_map_data(std::mt19937& random, std::size_t columns, std::size_t lines) {
  charts::HeatMapData data;
  data.x_column = QStringLiteral("tile_x[1]");
  data.y_column = QStringLiteral("tile_y[1]");
  data.unit = QStringLiteral("GFLOPS");
  for (std::size_t x = 0; x < columns; ++x) data.x_labels.push_back(QString::number(x));
  for (std::size_t y = 0; y < lines; ++y) data.y_labels.push_back(QString::number(y));
  for (std::size_t cell = 0; cell < columns * lines; ++cell) {
    analysis::HeatCell made;
    made.count = static_cast<std::int64_t>(random() % 20);
    made.valid =
        made.count == 0 ? 0 : static_cast<std::int64_t>(random() % static_cast<unsigned>(made.count + 1));
    if (made.valid > 0) {
      made.best = 50 + static_cast<double>(random() % 100);
      made.mean = made.best / 2;
    }
    data.cells.push_back(made);
  }
  return data;
}

/** The axes of some columns. */
inline charts::ParallelData parallel_data(const std::vector<std::vector<double>>& columns,
                                          const Trials& trials) {
  std::vector<analysis::ParallelColumn> described;
  for (const std::vector<double>& values : columns) described.push_back({values, false});
  charts::ParallelData data;
  data.coordinates = analysis::parallel_coordinates(described, trials.performance(), trials.rows, {});
  data.unit = QStringLiteral("GFLOPS");
  for (std::size_t axis = 0; axis < columns.size(); ++axis) {
    charts::ParallelAxisText text{QStringLiteral("axis %1").arg(axis), {}, false};
    for (std::size_t bin = 0; bin < data.coordinates.axes[axis].bins.count(); ++bin)
      text.labels.append(QString::number(data.coordinates.axes[axis].bins.low(bin)));
    data.axes.push_back(std::move(text));
  }
  return data;
}

}  // namespace kernelscape::chart_tests
