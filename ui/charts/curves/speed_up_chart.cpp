#include "ui/charts/curves/speed_up_chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/quantile.h"

namespace kernelscape::charts {
namespace {

/**
 * Minimum home range: from 1/1.25 to 1.25. Home leaves out extremes unless the user chose to show all: the
 * first trials of a run differ by arbitrary factors.
 */
constexpr double min_factor = 1.25;
constexpr double extreme_share = 0.03;

}  // namespace

SpeedUpChart::SpeedUpChart(QWidget* parent) : CompareCurveChart(parent) {
  set_y_scales({AxisScale::Log2});
  set_robust(true);
  set_data(
      {.curves = {}, .y = analysis::CompareY::SpeedUp, .unit = {}, .optimum = 1, .task = {}, .baseline = {}});
  set_explanation(
      tr("The speed-up of the best kernel of each tuner over the baseline after the same time, or the same "
         "number of trials: the ratio to the mean of the baseline's runs on the same task, averaged over the "
         "tasks. The axis is logarithmic, so that twice as fast and half as fast are equally far from 1, the "
         "dotted line. Until the baseline has a valid trial there is no ratio.\n\nNoSE, figure 5B."));
}

Interval SpeedUpChart::y_range() const {
  std::vector<double> means;
  for (const CompareCurve* shown_curve : shown())
    std::ranges::copy_if(shown_curve->curve.mean, std::back_inserter(means),
                         [](double mean) { return mean > 0 && std::isfinite(mean); });
  if (means.empty()) return {1 / min_factor, min_factor};
  std::ranges::sort(means);
  const double left_out = show_all() ? 0 : extreme_share;
  return {std::min(1 / min_factor, base::sorted_quantile(means, left_out) / 1.05),
          std::max(min_factor, base::sorted_quantile(means, 1 - left_out) * 1.05)};
}

}  // namespace kernelscape::charts
