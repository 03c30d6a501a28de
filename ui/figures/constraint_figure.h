#pragma once

#include "ui/charts/landscape/constraint_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/**
 * Returns the constraints of a session's space and the limits of its target, which are those of the template
 * that made the space. Takes some milliseconds: for a background job.
 */
std::shared_ptr<const charts::ConstraintScene> constraint_scene_of(const workspace::SourceOrigin& origin);

/**
 * Returns the graph of the constraints with the values of the current trial, or of the best trial if there is
 * no current one.
 * @param scene of the session
 */
FigureOf<charts::ConstraintData> constraint_figure(const ShownTrials& shown,
                                                   std::shared_ptr<const charts::ConstraintScene> scene,
                                                   std::optional<std::int64_t> current_row);

}  // namespace kernelscape::figures
