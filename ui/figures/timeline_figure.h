#pragma once

#include <filesystem>

#include "ui/charts/curves/timeline_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/**
 * Returns the timeline of a session. Reads the time of each search from the database; for background jobs.
 * The result of a cancelled job is to be discarded.
 */
FigureOf<charts::TimelineData> timeline_figure(const ShownTrials& shown,
                                               const std::filesystem::path& database,
                                               const workspace::JobControl& control);

}  // namespace kernelscape::figures
