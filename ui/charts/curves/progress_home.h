#pragma once

#include "ui/charts/axis.h"
#include "ui/charts/curves/progress_scale.h"
#include "ui/charts/landscape/value_sketch.h"

namespace kernelscape::charts {

/** Further inputs of `progress_home`: the scale of y, and how much of the data home shows. */
struct ProgressHome {
  AxisScale y_scale = AxisScale::Linear;
  const ValueSketch& seconds;  ///< times of the valid trials
  bool all = false;            ///< true: the slowest trials are shown too
  double plot_height = 0;      ///< in pixels: labels need room above or below their lines
};

/**
 * Returns the range of y from the slowest trials that home shows to the fastest of trials, ghosts and near
 * reference lines.
 */
Interval progress_home(const ProgressData& data, const ProgressScale& scale, const ProgressHome& home);

}  // namespace kernelscape::charts
