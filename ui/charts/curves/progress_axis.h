#pragma once

#include <span>

#include "ui/charts/curves/progress_data.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** Functions that charts over the trials or the time of one session share. */

/** Returns true if the trial was measured: it has a time and did not fail. */
bool has_time(const trial::Row& trial);

/**
 * Returns the x of a trial: its position among the measured trials, from 0, or the session time at which it
 * was finished.
 */
double point_x(const trial::Row& trial, std::int64_t row, ProgressX x);

/** Returns the x at the session's end. @param session_seconds so far; 0: the time of the last trial */
double progress_end(const trial::Snapshot& trials, double session_seconds, ProgressX x);

/** Returns the axis from the session's start to `end`. */
Axis progress_axis(ProgressX x, double end);

/** Returns time and batch of a trial: "after 12 s, batch 9". */
QString point_text(const trial::Row& trial);

/**
 * Marks the session times at which the session was paused or interrupted. @param canvas clipped to the plot
 */
void paint_interruptions(Canvas& canvas, const PlotFrame& frame, const trial::Snapshot& trials,
                         std::span<const double> interruption_seconds, ProgressX x);

}  // namespace kernelscape::charts
