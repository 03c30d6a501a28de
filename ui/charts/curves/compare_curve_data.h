#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/analysis/comparison/compared_curves.h"
#include "core/analysis/comparison/curve_bands.h"
#include "ui/charts/table.h"

namespace kernelscape::charts {

/** The curve of a tuner with settings. */
struct CompareCurve {
  std::size_t arm = 0;  ///< position of the arm in the study: its colour and dashes
  QString name;
  analysis::AggregatedCurve curve;  ///< all curves of a chart use one grid
  analysis::CurveBands bands = {};  ///< over the curve's grid; empty: no interval is known
};

/** The data of a comparison, computed in advance: the chart only draws. */
struct CompareCurveData {
  std::vector<CompareCurve> curves;
  analysis::CompareAxis axis = analysis::CompareAxis::Seconds;
  analysis::CompareY y = analysis::CompareY::ShareOfOptimum;
  QString unit = QStringLiteral("GFLOPS");  ///< unit of CompareY::Performance
  /** True: the optimum of every task is known; false: shares are of the best found. */
  bool optimum_known = false;
  std::optional<double> optimum;  ///< a dotted line, in the unit of y: 1 for shares; nullopt: no line
  QString task;                   ///< the only task; empty: all `task_count`
  std::size_t task_count = 1;
  QString baseline;  ///< name of the arm that is the baseline of speed-ups
};

/** The statistics of an arm's runs that are drawn. */
enum class CompareSpread {
  Interval,       ///< the mean with its 95 % interval by the bootstrap
  StandardError,  ///< the mean with one standard error
  Quartiles       ///< the median with the quartiles
};

/** Returns the sample of the curves: "8 runs per tuner", "3 to 8 repeats on 12 tasks"; empty without curves.
 */
QString compared_samples_text(const std::vector<const CompareCurve*>& curves, const CompareCurveData& data);

/** Returns a sentence that says what line and band are, with n: the beginning of captions. */
QString spread_text(const CompareCurveData& data, CompareSpread spread);

/** Returns true if y is a share, which is shown in per cent. */
bool shows_share(const CompareCurveData& data);

/** Returns the numbers of these curves: a row for each curve and x. */
Table compare_curve_table(const std::vector<const CompareCurve*>& curves, const CompareCurveData& data);

}  // namespace kernelscape::charts
