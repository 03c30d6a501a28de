#pragma once

#include "ui/charts/curves/progress_data.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** Returns the best so far and every trial of a session, without references. */
charts::ProgressData progress_data(const workspace::SourceData& source);

/** Returns the curve of another session, for comparison. */
charts::GhostCurve ghost_of(const workspace::SourceData& source, const QString& label, std::size_t arm);

/** Returns the reference lines: the vendor's kernel and the machine's limit, as far as they are known. */
std::vector<charts::ReferenceLine> references_of(const workspace::SourceData& source);

/**
 * Returns the progress of a session with its reference lines, against trials or session time. Trials that do
 * not pass the filter are drawn faint.
 */
FigureOf<charts::ProgressData> progress_figure(const workspace::SourceData& source, charts::ProgressX x,
                                               const charts::PassingRows& passing = {});

}  // namespace kernelscape::figures
