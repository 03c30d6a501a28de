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
        if (band.best == 0 || performance.better(value, band.best)) band.best = value;
      }
    }
  }
  return found;
}

}  // namespace kernelscape::analysis
