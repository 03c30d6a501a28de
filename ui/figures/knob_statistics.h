#pragma once

#include "core/analysis/landscape/importance.h"
#include "core/analysis/landscape/value_bins.h"
#include "ui/charts/bars/effects_chart.h"
#include "ui/charts/bars/importance_chart.h"
#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** The minimum and maximum of each range, ascending. */
using ValueRanges = std::vector<std::pair<double, double>>;

/** Returns the index of the range that holds a value; nullopt: no range does. */
std::optional<std::size_t> range_of(const ValueRanges& ranges, double value);

/** Performance by the values of a column. */
struct EffectsFigure : FigureOf<charts::EffectsData> {
  ValueRanges ends = {};  ///< minimum and maximum of each box
  std::size_t column = 0;
};

/** Two columns against each other. */
struct HeatMapFigure : FigureOf<charts::HeatMapData> {
  ValueRanges x_ends = {};  ///< minimum and maximum of each bin
  ValueRanges y_ends = {};
  std::size_t x_column = 0;
  std::size_t y_column = 0;
};

/**
 * Returns performance by the values of a column. For background jobs; the result of a cancelled job is to be
 * discarded. @param database for a notice
 */
EffectsFigure effects_of(const ShownTrials& shown, std::size_t column, const analysis::RowSet& selection,
                         const std::filesystem::path& database, const workspace::JobControl& control);
/**
 * Returns cells for all pairs of values or ranges, coloured by a measure, with the number of selected rows.
 */
HeatMapFigure heat_map_of(const ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                          charts::HeatMeasure measure, const analysis::RowSet& selection,
                          const workspace::JobControl& control);
/**
 * Returns the shares of the variance by knobs and pairs (functional analysis of variance, fANOVA).
 * @param of_validity explains whether a trial is valid instead of its performance
 */
FigureOf<charts::ImportanceData> importance_of(const ShownTrials& shown, bool of_validity,
                                               const workspace::JobControl& control);

/** Returns title and texts of the importance before it is computed. */
Text importance_text(const ShownTrials& shown, bool of_validity);

/**
 * Returns every knob: those with the largest importance first, otherwise in the order of the space; knobs
 * with a single value are last.
 * @param importance null, or with a notice: the importance is not known
 */
std::vector<std::size_t> knobs_by_importance(const space::SearchSpace& space,
                                             const FigureOf<charts::ImportanceData>* importance);
/**
 * Returns the default columns of a heat map: those of the first two knobs of `knobs_by_importance`, or twice
 * the same column if the space has only one.
 */
std::pair<std::size_t, std::size_t> heat_map_columns(const ShownTrials& shown,
                                                     const FigureOf<charts::ImportanceData>* importance);

/** Returns the name of the measure that colours a heat map: "best", "share valid". */
QString heat_measure_text(charts::HeatMeasure measure);

/** Returns why the heat map cannot be drawn; empty: it can be drawn. */
QString heat_map_problem(const ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                         charts::HeatMeasure measure);

}  // namespace kernelscape::figures
