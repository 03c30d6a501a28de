#include "ui/views/trials/timing_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/trial/fields.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/sample_strip.h"
#include "ui/widgets/flat_header.h"
#include "ui/widgets/row_height.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

QTableWidgetItem* sample_item(const QString& text,
                              Qt::Alignment alignment = Qt::AlignRight | Qt::AlignVCenter) {
  auto* item = new QTableWidgetItem(text);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setTextAlignment(alignment);
  return item;
}

/** Returns the deviation from the median, "+1.2 %". */
QString deviation_text(double seconds, double median) {
  if (median <= 0) return style::no_number();
  const double percent = (seconds / median - 1) * 100;
  const QString text = style::format_number(percent, 2) + QStringLiteral(" %");
  return percent > 0 ? QLatin1Char('+') + text : text;
}

/** Returns the machine's speed before and after the trial, and how its time is corrected; may be empty. */
QStringList machine_facts(const workspace::SourceData& source, const workspace::TrialDetails& details) {
  if (!source.speeds) return {};
  QStringList facts;
  const trial::Measurement& measurement = details.trial.measurement;
  const trial::ProbeSeconds& usual = source.speeds->usual;
  const trial::MachineSpeed before = trial::relative_speed(measurement.probe_before(), usual);
  const trial::MachineSpeed after = trial::relative_speed(measurement.probe_after(), usual);
  if (before.known() && after.known())
    facts.append(TimingPanel::tr("machine at %1 of its speed before, %2 after")
                     .arg(style::format_percent(before.lowest()), style::format_percent(after.lowest())));
  const trial::Speed machine = source.trials.row(details.row).machine;
  if (machine.slow_phase && machine.correction == 1)
    facts.append(TimingPanel::tr("measured in a slow phase; its time needs no correction"));
  if (machine.slow_phase && machine.correction != 1)
    facts.append(
        TimingPanel::tr("measured in a slow phase: the tuner saw its time normalised, times %1 (± %2)")
            .arg(style::format_number(machine.correction, 3),
                 style::format_percent(machine.correction_error)));
  return facts;
}

/** Returns "energy 0.12 J", "code_size 1,840 B"; empty if the trial has no metrics. */
QStringList metric_facts(const trial::Measurement& measurement) {
  QStringList facts;
  for (const trial::Metric& metric : measurement.metrics) {
    const QString fact =
        QStringLiteral("%1 %2").arg(QString::fromStdString(metric.name), style::format_number(metric.value));
    facts.append(metric.unit.empty() ? fact : fact + QLatin1Char(' ') + QString::fromStdString(metric.unit));
  }
  return facts;
}

QString timing_facts(const workspace::SourceData& source, const workspace::TrialDetails& details) {
  const trial::Measurement& measurement = details.trial.measurement;
  QStringList facts;
  facts.append(TimingPanel::tr("build %1").arg(style::format_duration(measurement.build_seconds)));
  if (source.build_only()) {
    facts.append(TimingPanel::tr("build only: this kernel was never run"));
    facts += metric_facts(measurement);
    return facts.join(QStringLiteral(" · "));
  }
  facts.append(TimingPanel::tr("run %1").arg(style::format_duration(measurement.run_seconds)));
  if (measurement.preempted_samples > 0)
    facts.append((measurement.preempted_samples == 1
                      ? TimingPanel::tr("%1 sample repeated, because the worker lost time during it")
                      : TimingPanel::tr("%1 samples repeated, because the worker lost time during them"))
                     .arg(style::format_count(measurement.preempted_samples)));
  if (const std::uint32_t saved = trial::measured_in<trial::Measured::SamplesSaved>(measurement); saved > 0)
    facts.append((saved == 1 ? TimingPanel::tr("%1 repeat was not needed")
                             : TimingPanel::tr("%1 repeats were not needed"))
                     .arg(style::format_count(saved)));
  if (measurement.cut_short)
    facts.append(TimingPanel::tr("stopped early: far slower than the best after one sample"));
  if (measurement.valid())
    facts.append(TimingPanel::tr("largest error of the output %1")
                     .arg(style::format_number(measurement.worst_error, 3)));
  facts += metric_facts(measurement);
  facts += machine_facts(source, details);
  return facts.join(QStringLiteral(" · "));
}

}  // namespace

TimingPanel::TimingPanel(QWidget* parent) : QWidget(parent) {
  strip_ = new SampleStrip;
  facts_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  facts_->setWordWrap(true);
  facts_->setContentsMargins(16, 8, 16, 8);
  samples_ = make_table(tr("Samples"), {tr("sample"), tr("time"), tr("to median")});
  series_ = make_table(tr("Numbers of the tuner"), {tr("reported by the tuner"), tr("value")});
  no_series_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  no_series_->setText(tr("The tuner reported no numbers for this trial."));
  no_series_->setAlignment(Qt::AlignTop | Qt::AlignHCenter);
  no_series_->setWordWrap(true);
  no_series_->setMargin(16);

  auto* tables = new QHBoxLayout;
  tables->setSpacing(16);
  tables->addWidget(samples_, 1);
  tables->addWidget(series_, 1);
  tables->addWidget(no_series_, 1);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addWidget(strip_);
  all->addWidget(facts_);
  all->addLayout(tables, 1);
}

QTableWidget* TimingPanel::make_table(const QString& name, const QStringList& titles) {
  auto* table = new QTableWidget(0, static_cast<int>(titles.size()));
  table->setHorizontalHeaderLabels(titles);
  table->setAccessibleName(name);
  widgets::make_flat(*table);
  widgets::keep_row_height(*table, 8, 24);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return table;
}

void TimingPanel::show_trial(const workspace::SourceData& source, const workspace::TrialDetails& details) {
  const trial::Measurement& measurement = details.trial.measurement;
  strip_->setVisible(!measurement.samples_seconds.empty());
  strip_->set_samples(measurement.samples_seconds);
  facts_->setText(timing_facts(source, details));
  show_samples(measurement);
  show_series(details);
}

void TimingPanel::show_samples(const trial::Measurement& measurement) {
  const std::vector<double>& samples = measurement.samples_seconds;
  samples_->setRowCount(static_cast<int>(samples.size()));
  const double median = measurement.median_seconds();
  for (std::size_t sample = 0; sample < samples.size(); ++sample) {
    const int row = static_cast<int>(sample);
    samples_->setItem(row, 0, sample_item(QString::number(sample + 1)));
    samples_->setItem(row, 1, sample_item(style::format_quantity(samples[sample], QStringLiteral("s"))));
    samples_->setItem(row, 2, sample_item(deviation_text(samples[sample], median)));
  }
}

void TimingPanel::show_series(const workspace::TrialDetails& details) {
  series_->setVisible(!details.series.empty());
  no_series_->setVisible(details.series.empty());
  series_->setRowCount(static_cast<int>(details.series.size()));
  for (std::size_t place = 0; place < details.series.size(); ++place) {
    const int row = static_cast<int>(place);
    series_->setItem(
        row, 0,
        sample_item(QString::fromStdString(details.series[place].series), Qt::AlignLeft | Qt::AlignVCenter));
    series_->setItem(row, 1, sample_item(style::format_number(details.series[place].value)));
  }
}

}  // namespace kernelscape::views
