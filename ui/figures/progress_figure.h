#pragma once

#include "ui/charts/courses/progress_data.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Best so far over every trial of a session, without references. */
ProgressData progress_data(const SourceData& source);

/** The curve of another session beside it. */
GhostCurve ghost_of(const SourceData& source, const QString& label, std::size_t arm);

/** What the best can be compared with: the vendor's kernel and the machine's limit, as far as they are known.
 */
std::vector<ReferenceLine> references_of(const SourceData& source);

/** The same with these, against trials or session time. What does not pass is drawn faint. */
FigureOf<ProgressData> progress_figure(const SourceData& source, ProgressX x,
                                       const PassingRows& passing = {});

}  // namespace kernelscape
