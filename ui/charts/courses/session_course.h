#pragma once

#include <span>

#include "ui/charts/courses/progress_data.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape {

/** What charts over the trials or the time of one session share. */

/** Whether it was measured: no failure and a time. */
bool has_time(const TrialRow& trial);

/** Where a trial stands: its place among those that were measured, from 0, or the session time at which it
 * was finished. */
double course_x(const TrialRow& trial, std::int64_t row, ProgressX x);

/** Where the session ends. @param session_seconds so far; 0: those of the last trial */
double course_end(const TrialSnapshot& trials, double session_seconds, ProgressX x);

/** The axis from the session's begin to `end`. */
Axis course_axis(ProgressX x, double end);

/** "after 12 s, batch 9". */
QString course_text(const TrialRow& trial);

/** Marks the session times at which it was paused or interrupted. @param canvas clipped to the plot */
void paint_interruptions(Canvas& canvas, const PlotFrame& frame, const TrialSnapshot& trials,
                         std::span<const double> interruption_seconds, ProgressX x);

}  // namespace kernelscape
