#include "ui/views/explore/knob_statistics.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/analysis/landscape/column_effects.h"
#include "core/analysis/landscape/heat_map.h"
#include "ui/models/trial_values.h"

namespace kernelscape {
namespace {

constexpr std::int64_t fewest_for_a_box = 5;
constexpr std::size_t no_place = static_cast<std::size_t>(-1);

using Ends = std::vector<std::pair<double, double>>;

/** Which of ascending ranges holds a value. */
std::size_t place_of(const Ends& ends, double value) {
  const auto found = std::ranges::lower_bound(ends, value, {}, [](const auto& end) { return end.second; });
  if (found == ends.end() || !(value >= found->first)) return no_place;
  return static_cast<std::size_t>(found - ends.begin());
}

EffectBox make_box(const EffectGroup& group, const Column& column, bool stands_for_space, bool complete) {
  EffectBox box;
  box.label = bin_label(column, group.low, group.high);
  box.count = group.count;
  box.valid = group.valid;
  box.performance = group.performance;
  if (!stands_for_space) return box;
  box.mean = group.mean;
  if (complete) return box;
  if (group.mean_95) box.mean_interval = {group.mean_95->low, group.mean_95->high};
  box.share_interval = {group.share_valid_95.low, group.share_valid_95.high};
  return box;
}

Ends ends_of(const ValueBins& bins) {
  Ends ends;
  for (std::size_t bin = 0; bin < bins.count(); ++bin) ends.emplace_back(bins.low(bin), bins.high(bin));
  return ends;
}

}  // namespace

EffectsOutcome effects_of(const ShownTrials& shown, std::size_t column, const RowSet& selection,
                          const JobControl& control) {
  EffectsOutcome outcome;
  outcome.column = column;
  const std::vector<double> values = column_values(shown, column, control);
  if (!control.proceed()) return outcome;
  const Column& about = shown.column(column);
  const PerformanceColumn performance = shown.performance_values();
  const ColumnEffect effect = column_effect(values, performance, shown.rows);
  if (!control.proceed()) return outcome;
  outcome.data = {column_title(about), shown.quantity(), shown.unit(), shown.higher_is_better, {}, {}};
  for (const EffectGroup& group : effect.groups) {
    outcome.data.boxes.push_back(make_box(group, about, shown.stands_for_space(), shown.source->complete()));
    outcome.ends.emplace_back(group.low, group.high);
  }
  std::vector<EffectBox>& boxes = outcome.data.boxes;
  for (const std::int64_t row : shown.rows) {
    if (!performance.valid(row)) continue;
    const std::size_t place = place_of(outcome.ends, values[static_cast<std::size_t>(row)]);
    if (place != no_place && boxes[place].valid < fewest_for_a_box)
      boxes[place].points.push_back(performance.at(row));
  }
  for (const std::int64_t row : shown.rows_of(selection)) {
    const std::size_t place = place_of(outcome.ends, values[static_cast<std::size_t>(row)]);
    if (place != no_place) ++boxes[place].highlighted;
  }
  return outcome;
}

HeatMapOutcome heat_map_of(const ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                           HeatMeasure measure, const RowSet& selection, const JobControl& control) {
  HeatMapOutcome outcome;
  outcome.x_column = x_column;
  outcome.y_column = y_column;
  const std::vector<double> x_values = column_values(shown, x_column, control);
  const std::vector<double> y_values = column_values(shown, y_column, control);
  if (!control.proceed()) return outcome;
  const HeatMap map = heat_map(x_values, y_values, shown.validity_values(), shown.rows);
  if (!control.proceed()) return outcome;
  const Column& x = shown.column(x_column);
  const Column& y = shown.column(y_column);
  outcome.x_ends = ends_of(map.x);
  outcome.y_ends = ends_of(map.y);
  HeatMapData& data = outcome.data;
  data.x_column = column_title(x);
  data.y_column = column_title(y);
  data.quantity = shown.quantity();
  data.unit = shown.unit();
  data.higher_is_better = shown.higher_is_better;
  data.measure = measure;
  data.x_labels = bin_labels(x, map.x);
  data.y_labels = bin_labels(y, map.y);
  data.cells = map.cells;
  data.highlighted.assign(map.cells.size(), 0);
  for (const std::int64_t row : shown.rows_of(selection)) {
    const std::int32_t x_bin = map.x.find(x_values[static_cast<std::size_t>(row)]);
    const std::int32_t y_bin = map.y.find(y_values[static_cast<std::size_t>(row)]);
    if (x_bin != ValueBins::no_bin && y_bin != ValueBins::no_bin)
      ++data.highlighted[static_cast<std::size_t>(y_bin) * map.x.count() + static_cast<std::size_t>(x_bin)];
  }
  return outcome;
}

}  // namespace kernelscape
