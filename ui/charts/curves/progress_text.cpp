#include "ui/charts/curves/progress_text.h"

#include "core/analysis/trial_value.h"
#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {

QStringList progress_lines(const ProgressData& data, std::int64_t row) {
  const trial::Row trial = data.trials.row(row);
  QStringList lines;
  const QString name = ProgressChart::tr("trial %1").arg(style::format_count(trial.number));
  if (trial.category != trial::ErrorCategory::NoError) {
    const std::string_view category = trial::to_string(trial.category);
    lines.append(name + QStringLiteral(": ") +
                 QString::fromLatin1(category.data(), static_cast<qsizetype>(category.size())));
  } else {
    const auto time = [](double seconds) { return style::format_quantity(seconds, QStringLiteral("s")); };
    const analysis::TrialValue value = analysis::trial_value(trial);
    QString spread = time(value.seconds);
    if (value.has_own_quartiles())
      spread += QStringLiteral(" (%1 to %2)").arg(time(value.samples.first), time(value.samples.third));
    const bool speed = data.flops > 0;
    const QString gflops =
        style::format_quantity(data.flops / trial.median_seconds / 1e9, QStringLiteral("GFLOPS"));
    lines.append(name + QStringLiteral(": ") + (speed ? gflops : time(trial.median_seconds)));
    if (value.kind != trial::ObjectiveKind::Median)
      spread += QStringLiteral(", ") + QString::fromStdString(analysis::objective_text(value.kind));
    lines.append(spread);
    if (value.kind != trial::ObjectiveKind::Median && value.samples.count > 0)
      lines.append(QString::fromStdString(analysis::samples_text(value.samples)));
  }
  lines.append(point_text(trial));
  if (const QString phase = worker_phase_text(data.speeds.get(), trial, row); !phase.isEmpty())
    lines.append(phase);
  // Trials measured in parallel may finish in another order than they were proposed in.
  if (trial.number != row)
    lines.append(ProgressChart::tr("finished as number %1").arg(style::format_count(row)));
  return lines;
}

}  // namespace kernelscape::charts
