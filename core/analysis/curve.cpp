#include "core/analysis/curve.h"

namespace kernelscape::analysis {

std::vector<ImprovementPoint> best_so_far(const trial::Snapshot& trials) {
  std::vector<ImprovementPoint> points;
  for (std::int64_t index = 0; index < trials.size(); ++index) {
    const trial::Row row = trials.row(index);
    if (row.category != trial::ErrorCategory::NoError || row.sample_count == 0) continue;
    if (!points.empty() && row.median_seconds >= points.back().median_seconds) continue;
    points.push_back({index, row.number, row.finished_seconds, row.median_seconds});
  }
  return points;
}

std::int64_t best_row(const trial::Snapshot& trials) {
  const std::vector<ImprovementPoint> points = best_so_far(trials);
  return points.empty() ? no_row : points.back().row;
}

}  // namespace kernelscape::analysis
