#pragma once

#include <vector>

#include "ui/charts/curves/compare_curve_data.h"
#include "ui/charts/plot_frame.h"

namespace kernelscape::charts {

/** Returns the number of runs of these curves that had not ended before each x of their grid. */
std::vector<double> active_runs(const std::vector<const CompareCurve*>& curves);

/** Paints the number of these runs into the first lane of the frame, which must have one: bars and numbers.
 */
void paint_active_runs(Canvas& canvas, const PlotFrame& frame,
                       const std::vector<const CompareCurve*>& curves);

}  // namespace kernelscape::charts
