#pragma once

#include <QString>

#include "core/analysis/tuner_series.h"
#include "ui/charts/bars/relevance_chart.h"
#include "ui/charts/curves/series_data.h"
#include "ui/workspace/source.h"

namespace kernelscape::figures {

/**
 * Returns the figures that can be drawn from the series that the session's tuner reported, and the samples
 * that were not needed.
 */
std::vector<analysis::SeriesFigure> series_figures_of(const workspace::SourceData& source);

/** Returns the source's trials and series, with the times at which the session was interrupted. */
charts::SeriesData series_data_of(const workspace::SourceData& source, const analysis::SeriesFigure& figure);

/** Returns true if the session's tuner learns the relevance of columns. */
bool learns_relevance(const workspace::SourceData& source);

/** Returns the relevance learnt so far; without columns if there is none yet. */
charts::RelevanceData relevance_data_of(const workspace::SourceData& source);

/** Returns the notice that is shown until the relevance is learnt; empty if it is learnt. */
QString relevance_notice(const workspace::SourceData& source);

}  // namespace kernelscape::figures
