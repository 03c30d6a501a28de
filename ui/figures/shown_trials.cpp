#include "ui/figures/shown_trials.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/models/trial_values.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("ShownTrials", text); }

}  // namespace

QString ShownTrials::quantity() const { return higher_is_better ? tr("speed") : tr("time per call"); }

QString ShownTrials::unit() const {
  return higher_is_better ? QStringLiteral("GFLOPS") : QStringLiteral("ms");
}

QString ShownTrials::origin_text() const {
  QString coverage = QString::fromStdString(source->coverage_text());
  if (filters.isEmpty()) return coverage;
  return tr("%1 of %2 trials pass the filters; %3")
      .arg(style::format_count(std::ssize(rows)), style::format_count(source->trials.size()), coverage);
}

std::vector<std::int64_t> ShownTrials::rows_of(const analysis::RowSet& selection) const {
  std::vector<std::int64_t> selected;
  for (const std::int64_t row : rows) {
    if (row >= selection.size()) break;
    if (selection.test(row)) selected.push_back(row);
  }
  return selected;
}

std::vector<double> column_values(const ShownTrials& shown, std::size_t column,
                                  const workspace::JobControl& control) {
  const trial::Snapshot& trials = shown.source->trials;
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(trials.size()));
  for (std::int64_t first = 0; first < trials.size(); first += workspace::rows_at_once) {
    if (!control.proceed()) return {};
    const std::int64_t last = std::min(first + workspace::rows_at_once, trials.size());
    const std::vector<double> part = shown.source->columns().values(trials, first, last, column);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

Shown make_shown(const workspace::Source& source, const QStringList& filters,
                 const std::optional<analysis::RowSet>& filtered, const workspace::JobControl& control) {
  auto shown = std::make_shared<ShownTrials>();
  shown->source = source;
  shown->filters = filters;
  const analysis::TrialColumns& columns = source->columns();
  const std::optional<std::size_t> speed = columns.find(trial::Measured::Gflops);
  shown->higher_is_better = speed.has_value();
  shown->performance_column = speed ? *speed : columns.find(trial::Measured::Milliseconds).value();
  shown->performance = column_values(*shown, shown->performance_column, control);
  if (!control.proceed()) return nullptr;
  if (filtered) {
    shown->rows = filtered->rows();
    // The set may be from a newer snapshot than the source.
    while (!shown->rows.empty() && shown->rows.back() >= source->trials.size()) shown->rows.pop_back();
  } else {
    shown->rows.resize(static_cast<std::size_t>(source->trials.size()));
    for (std::size_t row = 0; row < shown->rows.size(); ++row)
      shown->rows[row] = static_cast<std::int64_t>(row);
  }
  if (source->build_only()) {
    for (std::int64_t row = 0; row < source->trials.size(); ++row)
      shown->built.push_back(
          source->trials.row(row).category == trial::ErrorCategory::NoError ? 1 : std::nan(""));
  }
  const analysis::PerformanceColumn performance = shown->performance_values();
  for (const std::int64_t row : shown->rows) {
    if (source->trials.row(row).category != trial::ErrorCategory::NoError) ++shown->failed;
    if (!performance.valid(row)) continue;
    const double value = performance.at(row);
    if (shown->valid++ == 0 || performance.better(value, shown->best)) shown->best = value;
  }
  return shown;
}

charts::PassingRows passing_rows(const ShownTrials& shown) {
  if (shown.filters.isEmpty()) return {};
  return {shown.filters.join(QStringLiteral(" and ")),
          std::make_shared<const analysis::RowSet>(
              analysis::RowSet::of(shown.source->trials.size(), shown.rows))};
}

QString bin_label(const analysis::Column& column, double low, double high) {
  const QString first = models::shown_value(column, low);
  const QString last = models::shown_value(column, high);
  return first == last ? first : first + QStringLiteral(" – ") + last;
}

}  // namespace kernelscape::figures
