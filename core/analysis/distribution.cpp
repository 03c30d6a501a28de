#include "core/analysis/distribution.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace kernelscape::analysis {
namespace {

std::vector<double> valid_values(const PerformanceColumn& performance, std::span<const std::int64_t> rows) {
  std::vector<double> values;
  for (const std::int64_t row : rows)
    if (performance.valid(row)) values.push_back(performance.at(row));
  return values;
}

std::vector<double> edges_between(double least, double greatest, std::size_t bins, bool logarithmic) {
  std::vector<double> edges(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    edges[i] = logarithmic ? std::exp2(std::lerp(std::log2(least), std::log2(greatest), share))
                           : std::lerp(least, greatest, share);
  }
  edges.front() = least;  // rounding of the logarithm could change it
  edges.back() = greatest;
  return edges;
}

}  // namespace

Histogram histogram(const PerformanceColumn& performance, std::span<const std::int64_t> rows,
                    std::size_t bins, bool logarithmic) {
  const std::vector<double> values = valid_values(performance, rows);
  Histogram found;
  found.valid = static_cast<std::int64_t>(values.size());
  found.invalid = static_cast<std::int64_t>(rows.size()) - found.valid;
  if (values.empty()) return found;
  const auto [least, greatest] = std::ranges::minmax(values);
  if (least == greatest) {
    found.edges = {least / 2, least * 2};
    found.counts = {found.valid};
    return found;
  }
  found.edges = edges_between(least, greatest, bins, logarithmic);
  found.counts.resize(bins);
  for (const double value : values) {
    const auto above = std::ranges::upper_bound(found.edges, value) - found.edges.begin();
    ++found.counts[std::min(static_cast<std::size_t>(above - 1), bins - 1)];
  }
  return found;
}

std::vector<TopPoint> distribution_from_top(const PerformanceColumn& performance,
                                            std::span<const std::int64_t> rows) {
  std::vector<double> values = valid_values(performance, rows);
  if (performance.higher_is_better)
    std::ranges::sort(values, std::greater{});
  else
    std::ranges::sort(values);
  std::vector<TopPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
    const double speed = performance.higher_is_better ? values[i] / values[0] : values[0] / values[i];
    const auto count = static_cast<std::int64_t>(i + 1);
    points.push_back({1 - speed, count, static_cast<double>(count) / static_cast<double>(rows.size())});
  }
  return points;
}

std::vector<TopPoint> reduced(std::span<const TopPoint> points, std::size_t most) {
  if (points.size() <= most) return {points.begin(), points.end()};
  const std::size_t intervals = most / 2;
  const double width = points.back().below_best / static_cast<double>(intervals);
  const auto interval_of = [&](const TopPoint& point) {
    if (width <= 0) return std::size_t{0};  // they differ by less than the rounding error
    return std::min(static_cast<std::size_t>(point.below_best / width), intervals - 1);
  };
  std::vector<TopPoint> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t interval = interval_of(points[i]);
    const bool first = i == 0 || interval_of(points[i - 1]) != interval;
    const bool last = i + 1 == points.size() || interval_of(points[i + 1]) != interval;
    if (first || last) kept.push_back(points[i]);
  }
  return kept;
}

}  // namespace kernelscape::analysis
