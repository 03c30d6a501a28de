#pragma once

#include "core/analysis/landscape/importance.h"
#include "core/analysis/landscape/value_bins.h"
#include "ui/charts/bars/effects_chart.h"
#include "ui/charts/bars/importance_chart.h"
#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/views/explore/shown_trials.h"

namespace kernelscape {

/** The effect of a column, ready to be drawn. */
struct EffectsOutcome {
  EffectsData data;
  std::vector<std::pair<double, double>> ends;  ///< of each box: least and greatest value
  std::size_t column = 0;
};

/** Two columns against each other, ready to be drawn. */
struct HeatMapOutcome {
  HeatMapData data;
  std::vector<std::pair<double, double>> x_ends;  ///< of each bin: least and greatest value
  std::vector<std::pair<double, double>> y_ends;
  std::size_t x_column = 0;
  std::size_t y_column = 0;
};

/** What decides, or why that cannot be said. */
struct ImportanceOutcome {
  ImportanceData data;
  QString notice;  ///< in place of the data
};

/** For background jobs; a cancelled one gives what nobody looks at. */
EffectsOutcome effects_of(const ShownTrials& shown, std::size_t column, const RowSet& selection,
                          const JobControl& control);
HeatMapOutcome heat_map_of(const ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                           HeatMeasure measure, const RowSet& selection, const JobControl& control);
ImportanceOutcome importance_of(const ShownTrials& shown, bool of_validity, const JobControl& control);

}  // namespace kernelscape
