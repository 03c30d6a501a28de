#include "core/analysis/landscape/parallel_coordinates.h"

#include <algorithm>
#include <array>

namespace kernelscape::analysis {
namespace {

constexpr std::size_t chunk_rows = 1024;

/** Returns which of some ascending rows are in another ascending list. */
std::vector<std::uint8_t> membership(std::span<const std::int64_t> rows,
                                     std::span<const std::int64_t> chosen) {
  std::vector<std::uint8_t> found(rows.size());
  auto next = chosen.begin();
  for (std::size_t i = 0; i < rows.size() && next != chosen.end(); ++i) {
    next = std::find_if(next, chosen.end(), [&](std::int64_t row) { return row >= rows[i]; });
    found[i] = next != chosen.end() && *next == rows[i] ? 1 : 0;
  }
  return found;
}

/** The places of a chunk of rows on an axis. */
using Places = std::array<std::uint16_t, chunk_rows>;

void find_places(const ParallelColumn& column, const ParallelAxis& axis, std::span<const std::int64_t> rows,
                 Places& places) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t bin = axis.bins.find(column.values[static_cast<std::size_t>(rows[i])]);
    places[i] =
        static_cast<std::uint16_t>(bin == ValueBins::no_bin ? axis.missing() : static_cast<std::size_t>(bin));
  }
}

/** Returns the line of each row whose mark is set. */
std::vector<ParallelLine> lines_of(std::span<const ParallelColumn> columns,
                                   const std::vector<ParallelAxis>& axes,
                                   const PerformanceColumn& performance, std::span<const std::int64_t> rows,
                                   const std::vector<std::uint8_t>& marked) {
  std::vector<ParallelLine> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (marked[i] == 0) continue;
    ParallelLine& line = lines.emplace_back();
    if (performance.valid(rows[i])) line.performance = performance.at(rows[i]);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::int32_t bin = axes[axis].bins.find(columns[axis].values[static_cast<std::size_t>(rows[i])]);
      line.places.push_back(bin == ValueBins::no_bin ? axes[axis].missing() : static_cast<std::size_t>(bin));
    }
  }
  return lines;
}

bool improves(const PerformanceColumn& performance, double value, double best) {
  return best == 0 || performance.better(value, best);
}

}  // namespace

ParallelCoordinates parallel_coordinates(std::span<const ParallelColumn> columns,
                                         const PerformanceColumn& performance,
                                         std::span<const std::int64_t> rows,
                                         std::span<const std::int64_t> highlighted) {
  ParallelCoordinates found;
  for (const ParallelColumn& column : columns) {
    ParallelAxis axis{
        .bins = ValueBins::by_width(column.values, rows, ParallelAxis::max_bins, column.logarithmic),
        .counts = {},
        .highlighted = {}};
    axis.counts.resize(axis.places());
    axis.highlighted.resize(axis.places());
    if (!found.axes.empty()) found.bands.emplace_back(found.axes.back().places() * axis.places());
    found.axes.push_back(std::move(axis));
  }
  const std::vector<std::uint8_t> chosen = membership(rows, highlighted);
  Places left{};
  Places right{};
  for (std::size_t first = 0; first < rows.size(); first += chunk_rows) {
    const std::span<const std::int64_t> chunk =
        rows.subspan(first, std::min(chunk_rows, rows.size() - first));
    for (std::size_t a = 0; a < columns.size(); ++a) {
      ParallelAxis& axis = found.axes[a];
      std::swap(left, right);
      find_places(columns[a], axis, chunk, right);
      for (std::size_t i = 0; i < chunk.size(); ++i) {
        ++axis.counts[right[i]];
        axis.highlighted[right[i]] += chosen[first + i];
      }
      if (a == 0) continue;
      std::vector<ParallelBand>& bands = found.bands[a - 1];
      for (std::size_t i = 0; i < chunk.size(); ++i) {
        ParallelBand& band = bands[left[i] * axis.places() + right[i]];
        ++band.count;
        band.highlighted += chosen[first + i];
        if (!performance.valid(chunk[i])) continue;
        const double value = performance.at(chunk[i]);
        if (improves(performance, value, band.best)) band.best = value;
        if (chosen[first + i] != 0 && improves(performance, value, band.best_highlighted))
          band.best_highlighted = value;
      }
    }
  }
  const auto highlights = static_cast<std::size_t>(std::ranges::count(chosen, std::uint8_t{1}));
  if ((highlights > 0 ? highlights : rows.size()) <= ParallelCoordinates::max_lines)
    found.lines = lines_of(columns, found.axes, performance, rows,
                           highlights > 0 ? chosen : std::vector<std::uint8_t>(rows.size(), 1));
  return found;
}

}  // namespace kernelscape::analysis
