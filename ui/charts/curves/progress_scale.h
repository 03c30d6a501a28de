#pragma once

#include "ui/charts/curves/progress_data.h"

namespace kernelscape::charts {

/** The quantity on the y axis of a progress chart. */
enum class ProgressY { Gflops, Milliseconds };

/** The quantities on the axes of a progress chart. */
struct ProgressScale {
  ProgressX x_kind = ProgressX::Trials;
  ProgressY y_kind = ProgressY::Gflops;
  double flops = 0;  ///< of the task, for GFLOPS

  double x_of(const analysis::ImprovementPoint& point) const;    ///< Returns the x of an improvement
  double x_of(const trial::Row& row, std::int64_t index) const;  ///< Returns the x of a trial
  double y_of(double seconds) const;                             ///< Returns the y of a time; NaN: none
  double end_of(const GhostCurve& ghost) const;  ///< Returns the x at the end of another session
};

}  // namespace kernelscape::charts
