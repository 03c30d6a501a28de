#pragma once

#include <QString>

#include "core/analysis/tuner_series.h"
#include "ui/charts/bars/relevance_chart.h"
#include "ui/charts/courses/series_data.h"
#include "ui/workspace/source.h"

namespace kernelscape {

/** What can be drawn of what the session's tuner reported, and the samples that were not needed. */
std::vector<SeriesFigure> series_figures_of(const SourceData& source);

/** The same trials and series as the source, with the times at which the session was interrupted. */
SeriesData series_data_of(const SourceData& source, const SeriesFigure& figure);

/** Whether the session's tuner learns which columns matter. */
bool learns_relevance(const SourceData& source);

/** What it has learnt so far; without columns until then. */
RelevanceData relevance_data_of(const SourceData& source);

/** Stands in place of the relevance until it is learnt; empty where it is. */
QString relevance_notice(const SourceData& source);

}  // namespace kernelscape
