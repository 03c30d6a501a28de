#pragma once

#include "ui/charts/landscape/constraint_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/**
 * The constraints of a session's space, with the limits of its target, which are those of the template that
 * made the space. Some milliseconds: for a background job.
 */
std::shared_ptr<const ConstraintScene> constraint_scene_of(const SourceOrigin& origin);

/**
 * The same as a graph, with the values of the current trial, without one with those of the best.
 * @param scene of the session
 */
FigureOf<ConstraintData> constraint_figure(const ShownTrials& shown,
                                           std::shared_ptr<const ConstraintScene> scene,
                                           std::optional<std::int64_t> current_row);

}  // namespace kernelscape
