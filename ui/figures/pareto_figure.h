#pragma once

#include <optional>
#include <vector>

#include "core/analysis/pareto.h"
#include "ui/charts/landscape/pareto_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** The two objectives, as positions in TrialColumns. */
struct ParetoChoice {
  std::size_t x = 0;
  std::size_t y = 0;
  std::optional<analysis::Better> x_better = {};  ///< nullopt: the usual direction of the column
  std::optional<analysis::Better> y_better = {};
};

/** Returns the columns that can be objectives: times, rates, resources and all metrics. */
std::vector<std::size_t> objective_columns(const analysis::TrialColumns& columns);

/** Returns the time and the first metric; the time twice if there is no metric. */
ParetoChoice usual_objectives(const analysis::TrialColumns& columns);

/**
 * Returns the valid trials that have both quantities, with their Pareto front. For background jobs; the
 * result of a cancelled job is to be discarded.
 */
FigureOf<charts::ParetoData> pareto_figure(const ShownTrials& shown, const ParetoChoice& choice,
                                           const workspace::JobControl& control);

}  // namespace kernelscape::figures
