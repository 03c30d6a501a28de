#pragma once

#include "core/analysis/error_breakdown.h"
#include "core/analysis/time_split.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** Returns the breakdown of the shown trials; of no trials if the job is cancelled. */
analysis::ErrorBreakdown breakdown_of(const ShownTrials& shown, const workspace::JobControl& control);

/** Returns the breakdown of the trials of a session that pass the filter. */
analysis::ErrorBreakdown breakdown_of(const workspace::SourceData& source,
                                      const charts::PassingRows& passing);

/**
 * Returns the outcomes of the trials and their cost (NoSE, figure 3). @param of which trials, for the title
 */
FigureOf<analysis::ErrorBreakdown> outcome_figure(const analysis::ErrorBreakdown& outcomes,
                                                  const QString& of);

/**
 * Returns the time breakdown of a session over all its trials; if there is a filter, the text says that all
 * trials are included.
 */
FigureOf<analysis::TimeSplit> time_figure(const workspace::SourceData& source,
                                          const charts::PassingRows& passing = {});

/** Returns the number of categories of failed trials. */
int failed_categories(const analysis::ErrorBreakdown& outcomes);
/** Returns the additional height on paper of a chart with a lane for each category of failed trials. */
int lanes_height(const analysis::ErrorBreakdown& outcomes);

}  // namespace kernelscape::figures
