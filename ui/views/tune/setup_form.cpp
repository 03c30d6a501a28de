#include "ui/views/tune/setup_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/views/tune/adaptive_form.h"
#include "ui/views/tune/form_section.h"
#include "ui/views/tune/space_panel.h"
#include "ui/views/tune/target_fields.h"
#include "ui/widgets/form_fields.h"
#include "ui/widgets/form_scroll_area.h"
#include "ui/widgets/hyperparameter_form.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape {
namespace {

constexpr int check_delay_milliseconds = 120;
constexpr double milliseconds_per_second = 1e3;
constexpr int form_width = 272;
constexpr auto first_task = "resnet18/C6";

/** "231.2 MFLOP, 1.4 MB": what a task costs at least. */
QString task_note(const Task& task) {
  QString text = QString::fromStdString(task.text);
  if (task.flops() > 0) text += QStringLiteral("\n") + format_quantity(task.flops(), QStringLiteral("FLOP"));
  return text;
}

/** A field that does not apply says why. */
void allow(QWidget& field, const QString& obstacle) {
  field.setEnabled(obstacle.isEmpty());
  field.setToolTip(obstacle);
}

QString error_text(const Error& error) {
  QString text = QString::fromStdString(error.message);
  if (!error.hint.empty()) text += QStringLiteral(": ") + QString::fromStdString(error.hint);
  return text;
}

}  // namespace

SetupForm::SetupForm(Workspace& workspace, QWidget* parent) : QWidget(parent), workspace_(workspace) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new FormScrollArea(form_width, this);
  scroll->setAccessibleName(tr("Set-up"));
  auto* content = new QWidget(scroll);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(8);
  make_task_group(*column);
  make_tuner_group(*column);
  make_budget_group(*column);
  make_measuring_group(*column);
  column->addStretch(1);
  scroll->setWidget(content);
  outer->addWidget(scroll, 1);
  make_buttons(*outer);

  check_timer_.setSingleShot(true);
  check_timer_.setInterval(check_delay_milliseconds);
  connect(&check_timer_, &QTimer::timeout, this, &SetupForm::run_check);
  connect(&workspace_, &Workspace::sessions_changed, this, &SetupForm::fill_warm_starts);
  connect(&workspace_.queue(), &RunQueue::changed, this, &SetupForm::show_buttons);
  choose_tuner(tuner_->currentIndex());
  fill_warm_starts();
  choose_target();
  show_buttons();
  // After the first paint: the window takes typing before anything was looked up.
  QTimer::singleShot(0, this, &SetupForm::load_catalogue);
}

void SetupForm::make_task_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Task"), true, this);
  task_ = new QComboBox(this);
  respect_limits_ = new QCheckBox(tr("Respect the limits of the target"), this);
  respect_limits_->setToolTip(
      tr("Never propose what the limits refuse; else it costs an instantiation error"));
  task_->setEditable(true);
  task_->setInsertPolicy(QComboBox::NoInsert);
  task_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  task_->setMinimumContentsLength(16);
  task_->setAccessibleName(tr("Task: a name of the catalogue, a file, or a task written out"));
  task_->setToolTip(
      tr("A name of the catalogue, a JSON file, or a task written out:\n"
         "conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1\nmatmul 512x1024 1024x4096"));
  task_->setEditText(QString::fromLatin1(first_task));
  task_->completer()->setFilterMode(Qt::MatchContains);
  task_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  task_text_ = make_note(this);
  template_ = new QComboBox(this);
  template_->setAccessibleName(tr("Template"));
  template_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  space_ = new SpacePanel(this);
  section->form().addRow(tr("Task"), task_);
  section->form().addRow(task_text_);
  complain_below(section->form(), &FormCheck::task_error);
  target_ = new TargetFields(workspace_, section->form(), this);
  complain_below(section->form(), &FormCheck::target_error);
  section->form().addRow(tr("Template"), template_);
  complain_below(section->form(), &FormCheck::template_error);
  section->form().addRow(space_);
  complain_below(section->form(), &FormCheck::space_error);
  section->form().addRow(respect_limits_);
  column.addWidget(section);
  connect(task_, &QComboBox::editTextChanged, this, &SetupForm::schedule_check);
  connect(target_, &TargetFields::changed, this, &SetupForm::choose_target);
  connect(template_, &QComboBox::activated, this, &SetupForm::schedule_check);
  connect(space_, &SpacePanel::restrictions_changed, this, &SetupForm::schedule_check);
  connect(respect_limits_, &QCheckBox::toggled, this, &SetupForm::schedule_check);
}

/** A note below the field that an error is about. */
void SetupForm::complain_below(QFormLayout& form, std::optional<Error> FormCheck::* error) {
  QLabel* note = make_note(this, &Colours::warning);
  note->hide();
  form.addRow(note);
  complaints_.push_back({note, error});
}

/** What no field says stands above the buttons. */
bool SetupForm::show_complaints() {
  const Error* first = checked_ ? check_.problem() : nullptr;
  bool told = false;
  for (const Complaint& complaint : complaints_) {
    const std::optional<Error>& error = check_.*complaint.error;
    const bool shown = error.has_value() && first == &*error;
    complaint.note->setText(shown ? error_text(*error) : QString());
    complaint.note->setVisible(shown);
    told = told || (shown && complaint.note->isVisibleTo(this));  // its section may be folded
  }
  return told;
}

void SetupForm::make_tuner_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Tuner"), true, this);
  tuner_ = new QComboBox(this);
  tuner_->setAccessibleName(tr("Tuner"));
  for (const TunerDeclaration& tuner : tuner_registry()) {
    tuner_->addItem(QString::fromStdString(tuner.name));
    tuner_->setItemData(tuner_->count() - 1, QString::fromStdString(tuner.summary), Qt::ToolTipRole);
  }
  tuner_->setCurrentText(QString::fromStdString(TuningRequest().tuner));
  tuner_text_ = make_note(this);
  hyperparameters_ = new HyperparameterForm(this);
  auto* settings = new FormSection(tr("Hyperparameters"), false, this);
  settings->form().addRow(hyperparameters_);
  section->form().addRow(tr("Tuner"), tuner_);
  section->form().addRow(tuner_text_);
  complain_below(section->form(), &FormCheck::tuner_error);
  section->form().addRow(settings);
  column.addWidget(section);
  connect(tuner_, &QComboBox::currentIndexChanged, this, &SetupForm::choose_tuner);
  connect(tuner_, &QComboBox::currentIndexChanged, this, &SetupForm::schedule_check);
  connect(hyperparameters_, &HyperparameterForm::changed, this, [this] {
    show_problem();
    check_timer_.start();  // few of them matter to the space: what was found stands until then
  });
}

void SetupForm::make_budget_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Budget"), true, this);
  const Budget usual;
  trials_ = make_count(this, tr("Trials"), 0, static_cast<int>(usual.trials), tr("no limit"));
  minutes_ = make_amount(this, tr("Minutes"), 1e6, usual.minutes, tr("min"), tr("no limit"));
  target_gflops_ =
      make_amount(this, tr("Target in GFLOPS"), 1e9, usual.target_gflops, tr("GFLOPS"), tr("none"));
  patience_ = make_count(this, tr("Patience: trials without a better one"), 0, 0, tr("no limit"));
  section->form().addRow(tr("Trials"), trials_);
  section->form().addRow(tr("Time"), minutes_);
  auto* more = new FormSection(tr("More"), false, this);
  more->form().addRow(tr("Target"), target_gflops_);
  more->form().addRow(tr("Patience"), patience_);
  seed_ = new QLineEdit(this);
  seed_->setPlaceholderText(tr("drawn and stored"));
  seed_->setAccessibleName(tr("Seed"));
  name_ = new QLineEdit(this);
  name_->setPlaceholderText(tr("none"));
  name_->setAccessibleName(tr("Name of the session"));
  warm_start_ = new QComboBox(this);
  warm_start_->setAccessibleName(tr("Warm start: begin with the trials of another session"));
  warm_start_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  more->form().addRow(tr("Seed"), seed_);
  more->form().addRow(tr("Name"), name_);
  more->form().addRow(tr("Warm start"), warm_start_);
  section->form().addRow(more);
  column.addWidget(section);
  connect(seed_, &QLineEdit::textChanged, this, &SetupForm::show_problem);
  connect(trials_, &QSpinBox::valueChanged, this, &SetupForm::changed);
  connect(minutes_, &QDoubleSpinBox::valueChanged, this, &SetupForm::changed);
}

void SetupForm::make_measuring_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Measuring"), false, this);
  const MeasureOptions usual;
  threads_ = make_count(this, tr("Threads of the kernel"), 0, usual.threads, tr("all cores"));
  threads_->setMaximum(4096);
  repeats_ = make_count(this, tr("Timed samples per trial"), 1, usual.repeats);
  repeats_->setMaximum(10'000);
  repeat_milliseconds_ = make_amount(this, tr("Least duration of a sample"), 1e6,
                                     usual.min_repeat_seconds * milliseconds_per_second, tr("ms"));
  calls_ = make_count(this, tr("Calls of a sample"), 0, usual.calls_per_sample, tr("as needed"));
  calls_->setMaximum(max_calls_per_sample);
  build_timeout_ = make_amount(this, tr("Time-out of a build"), 86'400, usual.build_timeout_seconds, tr("s"));
  run_timeout_ = make_amount(this, tr("Time-out of a run"), 86'400, usual.run_timeout_seconds, tr("s"));
  build_timeout_->setMinimum(0.001);
  run_timeout_->setMinimum(0.001);
  flush_caches_ = new QCheckBox(tr("Flush caches between samples"), this);
  beyond_limits_ = new QCheckBox(tr("Build what the limits refuse"), this);
  give_up_ = make_amount(this, tr("Give up a trial whose first sample is over this times the best"), 1e6,
                         usual.give_up_factor, tr("x best"), tr("never"));
  replay_samples_ = new QCheckBox(tr("Take fewer of the recorded samples"), this);
  adaptive_ = new AdaptiveForm(this);
  section->form().addRow(tr("Threads"), threads_);
  section->form().addRow(replay_samples_);
  section->form().addRow(tr("Samples"), repeats_);
  section->form().addRow(tr("Sample at least"), repeat_milliseconds_);
  section->form().addRow(tr("Calls of a sample"), calls_);
  section->form().addRow(tr("Build time-out"), build_timeout_);
  section->form().addRow(tr("Run time-out"), run_timeout_);
  section->form().addRow(tr("Give up over"), give_up_);
  section->form().addRow(flush_caches_);
  section->form().addRow(beyond_limits_);
  section->form().addRow(adaptive_);
  column.addWidget(section);
  connect(repeats_, &QSpinBox::valueChanged, this, &SetupForm::schedule_check);
  connect(calls_, &QSpinBox::valueChanged, this, &SetupForm::schedule_check);
  connect(calls_, &QSpinBox::valueChanged, this, &SetupForm::allow_options);
  connect(respect_limits_, &QCheckBox::toggled, this, &SetupForm::allow_options);
  connect(flush_caches_, &QCheckBox::toggled, this, &SetupForm::schedule_check);
  connect(give_up_, &QDoubleSpinBox::valueChanged, this, &SetupForm::schedule_check);
  connect(replay_samples_, &QCheckBox::toggled, this, &SetupForm::allow_options);
  connect(replay_samples_, &QCheckBox::toggled, this, &SetupForm::schedule_check);
  connect(adaptive_, &AdaptiveForm::changed, this, &SetupForm::schedule_check);
  connect(adaptive_, &AdaptiveForm::switched, this, &SetupForm::choose_samples);
}

/** Those that suit the evaluator, or its absence, unless the user chose others. */
void SetupForm::choose_samples(bool adaptive) {
  const MeasureOptions usual;
  const MeasureOptions& before = adaptive ? usual : adatune_measuring;
  const MeasureOptions& now = adaptive ? adatune_measuring : usual;
  const MeasureOptions chosen = request().measuring;
  if (chosen.repeats != before.repeats || chosen.min_repeat_seconds != before.min_repeat_seconds) return;
  if (chosen.calls_per_sample > 0) return;
  repeats_->setValue(now.repeats);
  repeat_milliseconds_->setValue(now.min_repeat_seconds * milliseconds_per_second);
  if (chosen.run_timeout_seconds == before.run_timeout_seconds)
    run_timeout_->setValue(now.run_timeout_seconds);
}

void SetupForm::make_buttons(QVBoxLayout& column) {
  problem_ = make_note(this, &Colours::warning);
  problem_->setContentsMargins(8, 0, 8, 0);
  problem_->hide();
  start_ = new QPushButton(icon(QStringLiteral("start")), tr("Start"), this);
  queue_ = new QPushButton(icon(QStringLiteral("queue")), tr("Queue"), this);
  start_->setAccessibleName(tr("Start"));
  queue_->setAccessibleName(tr("Queue: start when the runs before it are done"));
  start_->setDefault(true);
  auto* copy = new QToolButton(this);
  copy->setIcon(icon(QStringLiteral("copy")));
  copy->setToolTip(tr("Copy the set-up as a command line"));
  copy->setAccessibleName(copy->toolTip());
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 8);
  row->addWidget(start_, 1);
  row->addWidget(queue_, 1);
  row->addWidget(copy);
  column.addWidget(problem_);
  column.addLayout(row);
  connect(start_, &QPushButton::clicked, this, &SetupForm::start_requested);
  connect(queue_, &QPushButton::clicked, this, &SetupForm::start_requested);
  connect(copy, &QToolButton::clicked, this, &SetupForm::copy_requested);
}

void SetupForm::load_catalogue() {
  catalogue_job_.start(
      [](const JobControl&) { return std::make_shared<const Result<Catalogue>>(Catalogue::load_default()); },
      [this](std::shared_ptr<const Result<Catalogue>> catalogue) {
        catalogue_ = std::move(catalogue);
        const QSignalBlocker quiet(task_);
        const QString typed = task_->currentText();
        if (*catalogue_) {
          for (const Task& task : (*catalogue_)->tasks()) {
            task_->addItem(QString::fromStdString(task.name));
            task_->setItemData(task_->count() - 1, QString::fromStdString(task.text), Qt::ToolTipRole);
          }
        }
        task_->setCurrentIndex(-1);
        task_->setEditText(typed);
        run_check();
      });
}

void SetupForm::schedule_check() {
  checked_ = false;
  check_timer_.start();
  show_buttons();
}

void SetupForm::run_check() {
  if (!catalogue_) return;
  check_timer_.stop();
  // Not a job that stands still while kernels are timed: it is what the user is waiting for.
  check_job_.start(
      [request = request(), catalogue = catalogue_, database = workspace_.database(),
       devices = workspace_.devices().survey()](const JobControl&) {
        return check_form(request, *catalogue, database, devices.get());
      },
      [this](const FormCheck& check) { show_check(check); });
}

void SetupForm::show_check(const FormCheck& check) {
  check_ = check;
  checked_ = true;
  task_text_->setText(check.task ? task_note(*check.task) : QString());
  task_text_->setVisible(check.task.has_value());
  target_->show_target(check.target);
  show_templates(check);
  if (check.space) {
    space_->show_space(*check.space, check.members, check.restricted_members);
  } else {
    space_->show_nothing(tr("No search space: see below"));
  }
  show_problem();
  emit changed();
}

/** Templates that fit; what the user chose stays where it still does. */
void SetupForm::show_templates(const FormCheck& check) {
  QStringList names;
  for (const std::string& name : check.templates) names << QString::fromStdString(name);
  const QString chosen = template_->currentText();
  QStringList shown;
  for (int i = 0; i < template_->count(); ++i) shown << template_->itemText(i);
  if (shown == names) return;
  const QSignalBlocker quiet(template_);
  template_->clear();
  template_->addItems(names);
  if (names.contains(chosen)) {
    template_->setCurrentText(chosen);
  } else if (!chosen.isEmpty()) {
    checked_ = false;
    run_check();  // the one that was looked up does not fit this task, or not the target
  }
}

QString SetupForm::problem() const {
  if (!catalogue_) return tr("The catalogue of tasks is being read.");
  if (const QString wrong = hyperparameters_->problem(); !wrong.isEmpty()) return wrong;
  if (const QString text = seed_->text().trimmed(); !text.isEmpty()) {
    bool is_number = false;
    text.toULongLong(&is_number);
    if (!is_number) return tr("The seed \"%1\" is no whole number from 0 to 2^64 - 1.").arg(text);
  }
  if (!checked_) return tr("Looking up the task…");
  if (const Error* error = check_.problem()) return error_text(*error);
  return {};
}

void SetupForm::show_problem() {
  const QString text = problem();
  problem_->setText(text);
  const bool told = show_complaints() && text == error_text(*check_.problem());
  problem_->setVisible(!text.isEmpty() && catalogue_ != nullptr && checked_ && !told);
  show_buttons();
}

void SetupForm::show_buttons() {
  const QString wrong = problem();
  const bool idle = workspace_.queue().idle();
  start_->setEnabled(wrong.isEmpty() && idle);
  start_->setToolTip(!wrong.isEmpty() ? wrong
                     : idle           ? tr("Start (Ctrl+Return)")
                                      : tr("A session runs: queue this one"));
  queue_->setEnabled(wrong.isEmpty() && !idle);
  queue_->setToolTip(!wrong.isEmpty() ? wrong
                     : idle           ? tr("Nothing runs: start it")
                                      : tr("Start when the runs before it are done (Ctrl+Return)"));
}

void SetupForm::choose_tuner(int index) {
  const TunerDeclaration& tuner = tuner_registry()[static_cast<std::size_t>(index)];
  tuner_text_->setText(QStringLiteral("%1 (%2)").arg(QString::fromStdString(tuner.summary),
                                                     QString::fromStdString(tuner.source)));
  hyperparameters_->set_tuner(tuner);
}

void SetupForm::fill_warm_starts() {
  const QString chosen = warm_start_->currentData().toString();
  const QSignalBlocker quiet(warm_start_);
  warm_start_->clear();
  warm_start_->addItem(tr("none"), QString());
  for (const SessionEntry& entry : *workspace_.sessions()) {
    const SessionRecord& record = entry.summary.record;
    if (entry.summary.status.trial_count == 0) continue;
    warm_start_->addItem(
        QStringLiteral("%1: %2 %3")
            .arg(record.id)
            .arg(QString::fromStdString(record.task_name), QString::fromStdString(record.tuner)),
        QString::number(record.id));
  }
  warm_start_->setCurrentIndex(std::max(0, warm_start_->findData(chosen)));
}

void SetupForm::choose_target() {
  task_->setEnabled(!target_->recorded());
  replay_samples_->setVisible(target_->recorded());
  allow_options();
  schedule_check();
}

void SetupForm::allow_options() {
  const bool recorded = target_->recorded();
  const QString not_run = target_->build_only() ? tr("Build only: no kernel is run") : QString();
  const QString before = recorded ? tr("A recorded space was measured before") : QString();
  const QString not_taken =
      recorded && !replay_samples_->isChecked() ? tr("All samples are taken that were recorded") : not_run;
  for (QWidget* field : std::initializer_list<QWidget*>{target_gflops_, patience_}) allow(*field, not_run);
  for (QWidget* field : std::initializer_list<QWidget*>{repeats_, give_up_, adaptive_})
    allow(*field, not_taken);
  for (QWidget* field : std::initializer_list<QWidget*>{calls_, run_timeout_, flush_caches_})
    allow(*field, recorded ? before : not_run);
  allow(*build_timeout_, before);
  const bool counted = calls_->value() > 0 && !recorded && not_run.isEmpty();
  allow(*repeat_milliseconds_, counted ? tr("The calls of a sample are counted: it lasts as long as they do")
                               : recorded ? before
                                          : not_run);
  allow(*threads_,
        target_->of_gpu() ? tr("A GPU's kernel has the threads that the template's knobs give it") : before);
  allow(*beyond_limits_, target_->of_gpu() ? tr("A GPU itself refuses what is over its limits")
                         : respect_limits_->isChecked()
                             ? tr("The limits are respected: nothing over them is proposed")
                             : before);
  flush_caches_->setText(target_->of_gpu() ? tr("Flush the L2 cache between samples")
                                           : tr("Flush caches between samples"));
}

TuningRequest SetupForm::request() const {
  TuningRequest request;
  target_->write(request);
  const bool recorded = target_->recorded();
  const bool run = !target_->build_only();
  if (!recorded) request.task = task_->currentText().trimmed().toStdString();
  if (!recorded) request.template_name = template_->currentText().toStdString();
  request.tuner = tuner_->currentText().toStdString();
  request.settings = hyperparameters_->settings();
  request.budget = {.trials = trials_->value(), .minutes = minutes_->value()};
  if (run) {
    request.budget.target_gflops = target_gflops_->value();
    request.budget.patience = patience_->value();
  }
  bool is_number = false;
  const qulonglong seed = seed_->text().trimmed().toULongLong(&is_number);
  if (is_number) request.seed = seed;
  request.name = name_->text().trimmed().toStdString();
  request.warm_start = warm_start_->currentData().toString().toStdString();
  request.respect_limits = respect_limits_->isChecked();
  request.restrictions = space_->restrictions();
  if (recorded) {
    write_sampling(request.measuring);
    return request;
  }
  request.measuring.build_timeout_seconds = build_timeout_->value();
  if (!target_->of_gpu()) request.measuring.threads = threads_->value();
  if (!target_->of_gpu() && !request.respect_limits)
    request.measuring.beyond_limits = beyond_limits_->isChecked();
  if (run) write_timing(request.measuring);
  return request;
}

/** How kernels are run. */
void SetupForm::write_timing(MeasureOptions& options) const {
  options.repeats = repeats_->value();
  options.min_repeat_seconds = repeat_milliseconds_->value() / milliseconds_per_second;
  options.calls_per_sample = calls_->value();
  options.run_timeout_seconds = run_timeout_->value();
  options.give_up_factor = give_up_->value();
  options.flush_caches = flush_caches_->isChecked();
  adaptive_->write(options);
}

/** Which of the recorded samples are taken. */
void SetupForm::write_sampling(MeasureOptions& options) const {
  if (!replay_samples_->isChecked()) return;
  options.replay_samples = true;
  options.repeats = repeats_->value();
  options.give_up_factor = give_up_->value();
  adaptive_->write(options);
}

void SetupForm::set_request(const TuningRequest& request) {
  task_->setEditText(QString::fromStdString(request.task));
  target_->read(request);
  if (const QString name = QString::fromStdString(request.template_name); !name.isEmpty()) {
    if (template_->findText(name) < 0) template_->addItem(name);
    template_->setCurrentText(name);
  }
  tuner_->setCurrentText(QString::fromStdString(request.tuner));
  hyperparameters_->set_settings(request.settings);
  trials_->setValue(static_cast<int>(std::min<std::int64_t>(request.budget.trials, most_count)));
  minutes_->setValue(request.budget.minutes);
  target_gflops_->setValue(request.budget.target_gflops);
  patience_->setValue(static_cast<int>(std::min<std::int64_t>(request.budget.patience, most_count)));
  seed_->setText(request.seed ? QString::number(*request.seed) : QString());
  name_->setText(QString::fromStdString(request.name));
  warm_start_->setCurrentIndex(
      std::max(0, warm_start_->findData(QString::fromStdString(request.warm_start))));
  respect_limits_->setChecked(request.respect_limits);
  space_->set_restrictions(request.restrictions);
  threads_->setValue(request.measuring.threads);
  repeats_->setValue(request.measuring.repeats);
  repeat_milliseconds_->setValue(request.measuring.min_repeat_seconds * milliseconds_per_second);
  calls_->setValue(request.measuring.calls_per_sample);
  build_timeout_->setValue(request.measuring.build_timeout_seconds);
  run_timeout_->setValue(request.measuring.run_timeout_seconds);
  flush_caches_->setChecked(request.measuring.flush_caches);
  beyond_limits_->setChecked(request.measuring.beyond_limits);
  give_up_->setValue(request.measuring.give_up_factor);
  replay_samples_->setChecked(request.measuring.replay_samples);
  adaptive_->read(request.measuring);
  choose_target();
}

void SetupForm::focus_task() {
  task_->setFocus(Qt::ShortcutFocusReason);
  task_->lineEdit()->selectAll();
}

}  // namespace kernelscape
