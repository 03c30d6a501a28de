#pragma once

#include "core/analysis/landscape/importance.h"
#include "core/analysis/landscape/value_bins.h"
#include "ui/charts/bars/effects_chart.h"
#include "ui/charts/bars/importance_chart.h"
#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Least and greatest values, ascending. */
using ValueRanges = std::vector<std::pair<double, double>>;

/** Which of them holds a value; none: no one. */
std::optional<std::size_t> range_of(const ValueRanges& ranges, double value);

/** Performance by the values of a column. */
struct EffectsFigure : FigureOf<EffectsData> {
  ValueRanges ends = {};  ///< of each box
  std::size_t column = 0;
};

/** Two columns against each other. */
struct HeatMapFigure : FigureOf<HeatMapData> {
  ValueRanges x_ends = {};  ///< of each bin
  ValueRanges y_ends = {};
  std::size_t x_column = 0;
  std::size_t y_column = 0;
};

/** For background jobs; a cancelled one gives what nobody looks at. @param database for a notice */
EffectsFigure effects_of(const ShownTrials& shown, std::size_t column, const RowSet& selection,
                         const std::filesystem::path& database, const JobControl& control);
/** Cells of all pairs of values or ranges, coloured by a measure, with the rows of the selection counted. */
HeatMapFigure heat_map_of(const ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                          HeatMeasure measure, const RowSet& selection, const JobControl& control);
/**
 * Shares of the variance by knobs and pairs (functional analysis of variance).
 * @param of_validity whether a trial is valid is explained, not its performance
 */
FigureOf<ImportanceData> importance_of(const ShownTrials& shown, bool of_validity, const JobControl& control);

/** Its title, before it is learnt. */
FigureText importance_text(const ShownTrials& shown, bool of_validity);

/**
 * Every knob: those that decide most first, else in their own order; those of one value last.
 * @param importance null, or with a notice: nothing is known of what decides
 */
std::vector<std::size_t> knobs_by_importance(const SearchSpace& space,
                                             const FigureOf<ImportanceData>* importance);
/** The columns that a heat map opens with, those of the first two such knobs; the same twice where the space
 * has one. */
std::pair<std::size_t, std::size_t> heat_map_columns(const ShownTrials& shown,
                                                     const FigureOf<ImportanceData>* importance);

/** "best", "share valid": what colours a heat map. */
QString heat_measure_text(HeatMeasure measure);

/** Why the heat map cannot be drawn; empty: it can. */
QString heat_map_problem(const ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                         HeatMeasure measure);

}  // namespace kernelscape
