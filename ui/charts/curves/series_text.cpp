#include "ui/charts/curves/series_text.h"

#include <QCoreApplication>
#include <cmath>

#include "ui/charts/bars/part_styles.h"
#include "ui/charts/curves/machine_strip.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

QString translated(const char* text) { return QCoreApplication::translate("SeriesText", text); }

QString measured_text(const SeriesData& data, double measured) {
  return style::format_quantity(measured,
                                data.flops > 0 ? QStringLiteral("GFLOPS") : QStringLiteral("calls/s"));
}

QString reported_line(const SeriesData& data, const trial::Row& trial, double value) {
  QString shown = std::isnan(value) ? translated("no value") : series_value_text(data.figure, value);
  if (const double deviation = data.deviation(trial); std::isfinite(deviation))
    shown += translated(" ± %1").arg(series_value_text(data.figure, deviation));
  const bool estimates = data.figure.relation == trial::SeriesRelation::Estimate;
  if (!data.proposed)
    return translated("sample %1: predicted %2").arg(style::format_count(trial.number), shown);
  return (estimates ? translated("trial %1: predicted %2") : translated("trial %1: %2"))
      .arg(style::format_count(trial.number), shown);
}

}  // namespace

QString series_value_text(const analysis::SeriesFigure& figure, double value) {
  return figure.unit.empty() ? style::format_number(value)
                             : style::format_quantity(value, QString::fromStdString(figure.unit));
}

QStringList series_lines(const SeriesData& data, const trial::Row& trial) {
  const double value = data.value(trial);
  QStringList lines{reported_line(data, trial, value)};
  if (const double measured = data.measured(trial); std::isfinite(measured)) {
    QString line = translated("measured %1").arg(measured_text(data, measured));
    if (is_corrected(trial))
      line += translated(" (corrected, the machine was slow: %1)")
                  .arg(measured_text(data, trial::fitness_of(trial.median_seconds, data.flops)));
    const double error = (value - measured) / measured;
    if (data.figure.relation == trial::SeriesRelation::Estimate && std::isfinite(error))
      line += translated(", predicted %1 too %2")
                  .arg(style::format_percent(std::abs(error)),
                       error < 0 ? translated("low") : translated("high"));
    lines.append(line);
  } else if (trial.category != trial::ErrorCategory::NoError) {
    lines.append(translated("failed: %1").arg(category_name(trial.category)));
  }
  return lines;
}

}  // namespace kernelscape::charts
