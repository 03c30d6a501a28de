#pragma once

#include "ui/charts/chart.h"

namespace kernelscape::charts {

/**
 * Saves a chart in the format of the suffix: .png (two device pixels per pixel), .svg or .csv. The file is
 * written atomically. Occupied: the path holds something other than a chart of this kind, which only `force`
 * replaces.
 */
Status save_chart(Chart& chart, const QString& path, bool force = false);

/**
 * Opens a file dialog and saves the chart at the chosen path; asks before another kind of file is replaced.
 * The chart emits `notified` with the result. @param suffix of the format: "png"
 */
void ask_and_save_chart(Chart& chart, const QString& suffix);

}  // namespace kernelscape::charts
