#pragma once

#include "core/analysis/error_breakdown.h"
#include "core/analysis/time_split.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Of the trials shown; of none where the job is cancelled. */
ErrorBreakdown breakdown_of(const ShownTrials& shown, const JobControl& control);

/** Of the trials of a session that pass. */
ErrorBreakdown breakdown_of(const SourceData& source, const PassingRows& passing);

/** How trials ended and what they cost (NoSE, figure 3). @param of which trials */
FigureOf<ErrorBreakdown> outcome_figure(const ErrorBreakdown& outcomes, const QString& of);

/** Where a session's wall time went: of all its trials, which it says where there is a filter. */
FigureOf<TimeSplit> time_figure(const SourceData& source, const PassingRows& passing = {});

/** Categories that failed trials have. */
int failed_categories(const ErrorBreakdown& outcomes);
/** What a chart with a lane for each of them needs more on paper. */
int lanes_height(const ErrorBreakdown& outcomes);

}  // namespace kernelscape
