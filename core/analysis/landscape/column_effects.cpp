#include "core/analysis/landscape/column_effects.h"

#include <numeric>

#include "core/analysis/landscape/value_bins.h"

namespace kernelscape::analysis {

ColumnEffect column_effect(std::span<const double> values, const PerformanceColumn& performance,
                           std::span<const std::int64_t> rows, std::size_t most) {
  const ValueBins bins = ValueBins::by_rank(values, rows, most);
  ColumnEffect effect{.groups = std::vector<EffectGroup>(bins.count()), .exact = bins.exact()};
  std::vector<std::vector<double>> valid(bins.count());
  for (const std::int64_t row : rows) {
    const std::int32_t bin = bins.find(values[static_cast<std::size_t>(row)]);
    if (bin == ValueBins::no_bin) {
      ++effect.without_value;
      continue;
    }
    const auto group = static_cast<std::size_t>(bin);
    ++effect.groups[group].count;
    if (performance.valid(row)) valid[group].push_back(performance.at(row));
  }
  for (std::size_t bin = 0; bin < bins.count(); ++bin) {
    EffectGroup& group = effect.groups[bin];
    group.low = bins.low(bin);
    group.high = bins.high(bin);
    group.valid = static_cast<std::int64_t>(valid[bin].size());
    group.performance = quartiles(valid[bin]);
    group.share_valid = static_cast<double>(group.valid) / static_cast<double>(group.count);
    group.share_valid_95 = wilson_interval_95(group.valid, group.count);
    if (group.valid == 0) continue;
    group.mean =
        std::accumulate(valid[bin].begin(), valid[bin].end(), 0.0) / static_cast<double>(group.valid);
    group.mean_95 = mean_interval_95(valid[bin]);
  }
  return effect;
}

}  // namespace kernelscape::analysis
