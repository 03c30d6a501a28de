#include "ui/views/runs/measuring_fields.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QSpinBox>

#include "ui/views/runs/adaptive_form.h"
#include "ui/widgets/form_fields.h"

namespace kernelscape::views {
namespace {

constexpr double milliseconds_per_second = 1e3;

}  // namespace

MeasuringFields::MeasuringFields(QFormLayout& rows, QWidget* parent) : QObject(parent) {
  make_fields(parent);
  add_rows(rows);
  connect(repeats_, &QSpinBox::valueChanged, this, &MeasuringFields::changed);
  connect(calls_, &QSpinBox::valueChanged, this, &MeasuringFields::changed);
  connect(calls_, &QSpinBox::valueChanged, this, &MeasuringFields::allow_what_applies);
  connect(flush_caches_, &QCheckBox::toggled, this, &MeasuringFields::changed);
  connect(give_up_, &QDoubleSpinBox::valueChanged, this, &MeasuringFields::changed);
  connect(replay_samples_, &QCheckBox::toggled, this, &MeasuringFields::allow_what_applies);
  connect(replay_samples_, &QCheckBox::toggled, this, &MeasuringFields::changed);
  connect(adaptive_, &AdaptiveForm::changed, this, &MeasuringFields::changed);
  connect(adaptive_, &AdaptiveForm::switched, this, &MeasuringFields::choose_samples);
}

void MeasuringFields::make_fields(QWidget* parent) {
  const trial::MeasureOptions usual;
  threads_ = widgets::make_count(parent, tr("Threads of the kernel"), 0, usual.threads, tr("all cores"));
  threads_->setMaximum(4096);
  repeats_ = widgets::make_count(parent, tr("Timed samples per trial"), 1, usual.repeats);
  repeats_->setMaximum(10'000);
  repeat_milliseconds_ = widgets::make_amount(parent, tr("Minimum duration of a sample"), 1e6,
                                              usual.min_repeat_seconds * milliseconds_per_second, tr("ms"));
  calls_ = widgets::make_count(parent, tr("Calls of a sample"), 0, usual.calls_per_sample, tr("as needed"));
  calls_->setMaximum(trial::max_calls_per_sample);
  build_timeout_ =
      widgets::make_amount(parent, tr("Time-out of a build"), 86'400, usual.build_timeout_seconds, tr("s"));
  run_timeout_ =
      widgets::make_amount(parent, tr("Time-out of a run"), 86'400, usual.run_timeout_seconds, tr("s"));
  slow_phase_patience_ =
      widgets::make_amount(parent, tr("Longest wait for a slow machine, in each slow phase"), 86'400,
                           usual.slow_phase_patience_seconds, tr("s"), tr("never wait"));
  build_timeout_->setMinimum(0.001);
  run_timeout_->setMinimum(0.001);
  flush_caches_ = new QCheckBox(tr("Flush caches between samples"), parent);
  beyond_limits_ = new QCheckBox(tr("Build configurations over the limits"), parent);
  give_up_ = widgets::make_amount(
      parent, tr("Stop a trial whose first sample takes more than this multiple of the best time"), 1e6,
      usual.give_up_factor, tr("x best"), tr("never"));
  replay_samples_ = new QCheckBox(tr("Use fewer of the recorded samples"), parent);
  adaptive_ = new AdaptiveForm(parent);
}

void MeasuringFields::add_rows(QFormLayout& rows) {
  rows.addRow(tr("Threads"), threads_);
  rows.addRow(replay_samples_);
  rows.addRow(tr("Samples"), repeats_);
  rows.addRow(tr("Sample at least"), repeat_milliseconds_);
  rows.addRow(tr("Calls of a sample"), calls_);
  rows.addRow(tr("Build time-out"), build_timeout_);
  rows.addRow(tr("Run time-out"), run_timeout_);
  rows.addRow(tr("Wait if slow"), slow_phase_patience_);
  rows.addRow(tr("Stop above"), give_up_);
  rows.addRow(flush_caches_);
  rows.addRow(beyond_limits_);
  rows.addRow(adaptive_);
}

void MeasuringFields::set_target(const MeasuredTarget& target) {
  target_ = target;
  replay_samples_->setVisible(target.recorded);
  allow_what_applies();
}

void MeasuringFields::allow_what_applies() {
  const bool recorded = target_.recorded;
  const QString& not_run = target_.not_run;
  const QString before = recorded ? tr("A recorded space has been measured already") : QString();
  const QString not_taken =
      recorded && !replay_samples_->isChecked() ? tr("All recorded samples are used") : not_run;
  for (QWidget* field : std::initializer_list<QWidget*>{repeats_, give_up_, adaptive_})
    widgets::allow_field(*field, not_taken);
  for (QWidget* field :
       std::initializer_list<QWidget*>{calls_, run_timeout_, slow_phase_patience_, flush_caches_})
    widgets::allow_field(*field, recorded ? before : not_run);
  widgets::allow_field(*build_timeout_, before);
  const bool counted = calls_->value() > 0 && !recorded && not_run.isEmpty();
  widgets::allow_field(*repeat_milliseconds_,
                       counted ? tr("The number of calls per sample is fixed, which determines its duration")
                       : recorded ? before
                                  : not_run);
  widgets::allow_field(
      *threads_, target_.of_gpu && target_.of_project ? tr("The project sets the threads of a GPU kernel")
                 : target_.of_gpu ? tr("The template's knobs set the threads of a GPU kernel")
                                  : before);
  widgets::allow_field(*beyond_limits_,
                       target_.of_project ? tr("A project of your own kernel declares no device limits")
                       : target_.of_gpu   ? tr("A GPU rejects configurations over its limits itself")
                       : target_.respects_limits
                           ? tr("Device limits are enforced: no configuration over them is proposed")
                           : before);
  flush_caches_->setText(target_.of_gpu ? tr("Flush the L2 cache between samples")
                                        : tr("Flush caches between samples"));
}

/** Chooses the sample settings that suit the evaluator being on or off, unless the user changed them. */
void MeasuringFields::choose_samples(bool adaptive) {
  const trial::MeasureOptions usual;
  const trial::MeasureOptions& before = adaptive ? usual : trial::adatune_measuring;
  const trial::MeasureOptions& now = adaptive ? trial::adatune_measuring : usual;
  trial::MeasureOptions chosen;
  write(chosen);
  if (chosen.repeats != before.repeats || chosen.min_repeat_seconds != before.min_repeat_seconds) return;
  if (chosen.calls_per_sample > 0) return;
  repeats_->setValue(now.repeats);
  repeat_milliseconds_->setValue(now.min_repeat_seconds * milliseconds_per_second);
  if (chosen.run_timeout_seconds == before.run_timeout_seconds)
    run_timeout_->setValue(now.run_timeout_seconds);
}

void MeasuringFields::write(trial::MeasureOptions& options) const {
  if (target_.recorded) {
    options.replay_samples = replay_samples_->isChecked();
    if (!options.replay_samples) return;
  } else {
    options.build_timeout_seconds = build_timeout_->value();
    if (!target_.of_gpu) options.threads = threads_->value();
    if (!target_.of_gpu && !target_.of_project && !target_.respects_limits)
      options.beyond_limits = beyond_limits_->isChecked();
    if (!target_.not_run.isEmpty()) return;
    options.min_repeat_seconds = repeat_milliseconds_->value() / milliseconds_per_second;
    options.calls_per_sample = calls_->value();
    options.run_timeout_seconds = run_timeout_->value();
    options.slow_phase_patience_seconds = slow_phase_patience_->value();
    options.flush_caches = flush_caches_->isChecked();
  }
  options.repeats = repeats_->value();
  options.give_up_factor = give_up_->value();
  adaptive_->write(options);
}

void MeasuringFields::read(const trial::MeasureOptions& options) {
  threads_->setValue(options.threads);
  repeats_->setValue(options.repeats);
  repeat_milliseconds_->setValue(options.min_repeat_seconds * milliseconds_per_second);
  calls_->setValue(options.calls_per_sample);
  build_timeout_->setValue(options.build_timeout_seconds);
  run_timeout_->setValue(options.run_timeout_seconds);
  slow_phase_patience_->setValue(options.slow_phase_patience_seconds);
  flush_caches_->setChecked(options.flush_caches);
  beyond_limits_->setChecked(options.beyond_limits);
  give_up_->setValue(options.give_up_factor);
  replay_samples_->setChecked(options.replay_samples);
  adaptive_->read(options);
}

}  // namespace kernelscape::views
