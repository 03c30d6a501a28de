#include "ui/charts/curves/series_data.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/trial/trial.h"
#include "ui/charts/curves/progress_axis.h"

namespace kernelscape::charts {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double SeriesData::value(const trial::Row& trial) const {
  return analysis::figure_value(figure, series.find(figure.name), trial);
}

double SeriesData::deviation(const trial::Row& trial) const {
  const analysis::SeriesColumn* column = figure.deviation.empty() ? nullptr : series.find(figure.deviation);
  return column != nullptr ? column->at(trial.number) : none;
}

double SeriesData::measured(const trial::Row& trial) const {
  return has_time(trial) ? trial::fitness_of(trial.median_seconds * trial.machine.correction, flops) : none;
}

bool SeriesData::continues(const SeriesData& old) const {
  return session == old.session && flops == old.flops && figure == old.figure &&
         passing.filter == old.passing.filter && trials.size() >= old.trials.size() &&
         series.value_count() >= old.series.value_count();
}

void SeriesArrivals::clear() {
  waiting_.clear();
  taken_ = 0;
}

void SeriesArrivals::take(const SeriesData& data, bool new_values, const Take& take) {
  if (new_values) {
    const std::vector<std::uint32_t> waiting = std::exchange(waiting_, {});
    for (const std::uint32_t row : waiting) take_row(data, row, take);
  }
  for (std::int64_t row = taken_; row < data.trials.size(); ++row) take_row(data, row, take);
  taken_ = data.trials.size();
}

void SeriesArrivals::take_row(const SeriesData& data, std::int64_t row, const Take& take) {
  if (!data.passing.holds(row)) return;
  const trial::Row trial = data.trials.row(row);
  const double value = data.value(trial);
  if (!std::isnan(value)) return take(trial, row, value);
  if (!data.figure.from_trials && trial.number >= data.series.end())
    waiting_.push_back(static_cast<std::uint32_t>(row));
}

std::int64_t stepped_row(const trial::Snapshot& trials, std::int64_t row, Qt::Key direction,
                         const RowShown& shown) {
  const int step = direction == Qt::Key_Right || direction == Qt::Key_Up ? 1 : -1;
  const bool by_batch = direction == Qt::Key_Up || direction == Qt::Key_Down;
  const std::int32_t batch = trials.row(row).batch;
  for (std::int64_t next = row + step; next >= 0 && next < trials.size(); next += step)
    if (shown(next) && !(by_batch && trials.row(next).batch == batch)) return next;
  return row;
}

}  // namespace kernelscape::charts
