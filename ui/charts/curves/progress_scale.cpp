#include "ui/charts/curves/progress_scale.h"

#include <limits>

#include "ui/charts/curves/progress_axis.h"

namespace kernelscape::charts {

double ProgressScale::x_of(const analysis::ImprovementPoint& point) const {
  return x_kind == ProgressX::Trials ? static_cast<double>(point.row) : point.finished_seconds;
}

double ProgressScale::x_of(const trial::Row& row, std::int64_t index) const {
  return point_x(row, index, x_kind);
}

double ProgressScale::y_of(double seconds) const {
  if (!(seconds > 0)) return std::numeric_limits<double>::quiet_NaN();
  return y_kind == ProgressY::Gflops ? flops / seconds / 1e9 : seconds * 1e3;
}

double ProgressScale::end_of(const GhostCurve& ghost) const {
  return x_kind == ProgressX::Trials ? ghost.trials : ghost.session_seconds;
}

}  // namespace kernelscape::charts
