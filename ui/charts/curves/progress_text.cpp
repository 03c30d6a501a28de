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

QString progress_explanation(const ProgressData& data) {
  QString text = ProgressChart::tr(
      "Every dot is a trial: a configuration that was built, run, checked and timed; where many dots would "
      "cover each other, the shade shows their number. The line is the best so far, exact at the trials that "
      "improved it. Failed trials have no speed, so they stand in lanes below the axis, one for each "
      "category, marked with its letter. Trials that do not pass the filters are faint. Dashed horizontal "
      "lines are references (the vendor's kernel, the machine's limit); thin curves are other sessions. The "
      "diamond is the best trial measured again at the end, with its quartiles.\n\nThe axis leaves out the "
      "slowest tenth of the valid trials, so that the differences that matter can be seen. Two strokes "
      "across the axis mark that it does not start at zero. \"All\" shows every trial.\n\nThe curve against "
      "wall "
      "time is that of NoSE, figure 5A, here for a single session.");
  if (data.speeds)
    text += ProgressChart::tr(
        "\n\nThe strip below shows the machine's speed while each trial was measured, relative to its "
        "usual speed. Where the machine was slower for a while, the chart is shaded: the times of these "
        "trials are longer than they would have been. In a fleet each worker has a line, and the trials "
        "of a worker that was slower for a while are marked.");
  return text;
}

}  // namespace kernelscape::charts
