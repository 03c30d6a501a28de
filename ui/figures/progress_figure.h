#pragma once

#include "ui/charts/curves/progress_data.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Returns the best so far and every trial of a session, without references. */
ProgressData progress_data(const SourceData& source);

/** Returns the curve of another session, for comparison. */
GhostCurve ghost_of(const SourceData& source, const QString& label, std::size_t arm);

/** Returns the reference lines: the vendor's kernel and the machine's limit, as far as they are known. */
std::vector<ReferenceLine> references_of(const SourceData& source);

/**
 * Returns the progress of a session with its reference lines, against trials or session time. Trials that do
 * not pass the filter are drawn faint.
 */
FigureOf<ProgressData> progress_figure(const SourceData& source, ProgressX x,
                                       const PassingRows& passing = {});

}  // namespace kernelscape
