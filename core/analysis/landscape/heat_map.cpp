#include "core/analysis/landscape/heat_map.h"

namespace kernelscape::analysis {

HeatCellState HeatCell::state() const {
  constexpr std::int64_t enough = 5;
  if (count == 0) return HeatCellState::Unmeasured;
  if (valid == 0) return HeatCellState::AllInvalid;
  return valid < enough ? HeatCellState::Few : HeatCellState::Enough;
}

HeatMap heat_map(std::span<const double> x_values, std::span<const double> y_values,
                 const PerformanceColumn& performance, std::span<const std::int64_t> rows) {
  HeatMap map{.x = ValueBins::by_rank(x_values, rows, HeatMap::max_values),
              .y = ValueBins::by_rank(y_values, rows, HeatMap::max_values),
              .cells = {}};
  map.cells.resize(map.x.count() * map.y.count());
  for (const std::int64_t row : rows) {
    const std::int32_t x = map.x.find(x_values[static_cast<std::size_t>(row)]);
    const std::int32_t y = map.y.find(y_values[static_cast<std::size_t>(row)]);
    if (x == ValueBins::no_bin || y == ValueBins::no_bin) {
      ++map.without_value;
      continue;
    }
    HeatCell& cell = map.cells[static_cast<std::size_t>(y) * map.x.count() + static_cast<std::size_t>(x)];
    ++cell.count;
    if (!performance.valid(row)) continue;
    const double value = performance.at(row);
    ++cell.valid;
    cell.mean += (value - cell.mean) / static_cast<double>(cell.valid);
    if (cell.best_row >= 0 && !performance.better(value, cell.best)) continue;
    cell.best = value;
    cell.best_row = row;
  }
  return map;
}

}  // namespace kernelscape::analysis
