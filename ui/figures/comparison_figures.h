#pragma once

#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Without the runs that are hidden. */
std::shared_ptr<const ComparedRuns> counted_runs(const ComparedRuns& runs,
                                                 const std::set<std::int64_t>& hidden);

/** Best so far of every tuner (NoSE, figure 5A), and over trials whatever is chosen. */
MakeFigures curve_figures;
MakeFigures curve_by_trials_figures;
/** Over the baseline (NoSE, figure 5B). */
MakeFigures speed_up_figures;
/** Wall time by phase (NoSE, figure 6). */
MakeFigures phase_figures;
/** How trials ended, by count and by work seconds (NoSE, figure 7). */
MakeFigures category_figures;
MakeFigures category_work_figures;
/** A small chart for each task, whatever is chosen (NoSE, figure 8). */
MakeFigures task_figures;

}  // namespace kernelscape
