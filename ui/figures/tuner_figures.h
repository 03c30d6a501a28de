#pragma once

#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** What a session's tuner expected against what was measured, where it told. */
MakeFigures prediction_figures;

/** Which columns matter to a tuner that learns it. */
MakeFigures relevance_figures;

/** Every series that a session's tuner reported; those that differ in their column only are a group. */
MakeFigures series_figures_of_tuner;

}  // namespace kernelscape
