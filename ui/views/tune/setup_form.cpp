#include "ui/views/tune/setup_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/views/runs/form_section.h"
#include "ui/views/runs/measuring_fields.h"
#include "ui/views/runs/tuner_fields.h"
#include "ui/views/tune/budget_fields.h"
#include "ui/views/tune/space_panel.h"
#include "ui/views/tune/target_fields.h"
#include "ui/views/tune/task_fields.h"
#include "ui/widgets/form_fields.h"
#include "ui/widgets/form_scroll_area.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::views {
namespace {

constexpr int check_delay_milliseconds = 120;
constexpr int form_width = 272;

bool enforced_by_default(const std::string& tuner) {
  session::TuningRequest request;
  request.tuner = tuner;
  return session::enforces_limits(request);
}

QString limits_help() {
  return SetupForm::tr(
      "Never propose configurations over the device limits; otherwise each of them costs an instantiation "
      "error. Until you choose, the tuner's default applies: heron and the tuners it is compared with "
      "enforce the limits");
}

}  // namespace

SetupForm::SetupForm(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new widgets::FormScrollArea(form_width, this);
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
  connect(&workspace_.queue(), &workspace::RunQueue::changed, this, &SetupForm::show_buttons);
  choose_target();
  show_buttons();
  // After the first paint, so that the window accepts typing before anything was looked up.
  QTimer::singleShot(0, this, &SetupForm::load_catalogue);
}

void SetupForm::make_task_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Task"), true, this);
  task_ = new TaskFields(section->form(), this);
  errors_.add_row(section->form(), this, &FormCheck::task_error);
  target_ = new TargetFields(workspace_, section->form(), this);
  errors_.add_row(section->form(), this, &FormCheck::target_error);
  template_ = new QComboBox(this);
  template_->setAccessibleName(tr("Template"));
  template_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  space_ = new SpacePanel(this);
  respect_limits_ = new QCheckBox(tr("Enforce device limits"), this);
  respect_limits_->setToolTip(limits_help());
  section->form().addRow(tr("Template"), template_);
  errors_.add_row(section->form(), this, &FormCheck::template_error);
  section->form().addRow(space_);
  errors_.add_row(section->form(), this, &FormCheck::space_error);
  section->form().addRow(respect_limits_);
  column.addWidget(section);
  connect(task_, &TaskFields::changed, this, &SetupForm::schedule_check);
  connect(task_, &TaskFields::project_requested, this, &SetupForm::project_requested);
  connect(target_, &TargetFields::changed, this, &SetupForm::choose_target);
  connect(template_, &QComboBox::activated, this, &SetupForm::schedule_check);
  connect(space_, &SpacePanel::restrictions_changed, this, &SetupForm::schedule_check);
  connect(respect_limits_, &QCheckBox::clicked, this, [this](bool enforced) { asked_limits_ = enforced; });
  connect(respect_limits_, &QCheckBox::toggled, this, &SetupForm::schedule_check);
  connect(respect_limits_, &QCheckBox::toggled, this, &SetupForm::allow_options);
}

void SetupForm::make_tuner_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Tuner"), true, this);
  tuner_ = new TunerFields(section->form(), this);
  errors_.add_row(section->form(), this, &FormCheck::tuner_error);
  tuner_->add_settings(section->form());
  column.addWidget(section);
  connect(tuner_, &TunerFields::tuner_changed, this, [this] {
    show_limits();
    schedule_check();
  });
  connect(tuner_, &TunerFields::manual_requested, this, &SetupForm::manual_requested);
  connect(tuner_, &TunerFields::settings_changed, this, [this] {
    show_problem();
    check_timer_.start();  // few changes affect the space, so the last result stays visible until then
  });
}

void SetupForm::make_budget_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Budget"), true, this);
  budget_ = new BudgetFields(workspace_, section->form(), this);
  column.addWidget(section);
  connect(budget_, &BudgetFields::seed_changed, this, &SetupForm::show_problem);
  connect(budget_, &BudgetFields::budget_changed, this, &SetupForm::show_advice);
  connect(budget_, &BudgetFields::budget_changed, this, &SetupForm::changed);
}

void SetupForm::make_measuring_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Measuring"), false, this);
  measuring_ = new MeasuringFields(section->form(), this);
  column.addWidget(section);
  connect(measuring_, &MeasuringFields::changed, this, &SetupForm::schedule_check);
}

void SetupForm::make_buttons(QVBoxLayout& column) {
  problem_ = widgets::make_note(this, &style::Colours::warning);
  problem_->setContentsMargins(8, 0, 8, 0);
  problem_->hide();
  start_ = new QPushButton(style::icon(QStringLiteral("start")), tr("Start"), this);
  queue_ = new QPushButton(style::icon(QStringLiteral("queue")), tr("Queue"), this);
  start_->setAccessibleName(tr("Start"));
  queue_->setAccessibleName(tr("Queue: start when the runs before it are done"));
  start_->setDefault(true);
  auto* copy = new QToolButton(this);
  copy->setIcon(style::icon(QStringLiteral("copy")));
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
      [](const workspace::JobControl&) {
        return std::make_shared<const Result<task::Catalogue>>(task::Catalogue::load_default());
      },
      [this](std::shared_ptr<const Result<task::Catalogue>> catalogue) {
        catalogue_ = std::move(catalogue);
        if (*catalogue_) task_->offer(**catalogue_);
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
  // Not a background job that pauses while kernels are timed, because the user is waiting for it.
  check_job_.start(
      [request = request(), catalogue = catalogue_, database = workspace_.database(),
       devices = workspace_.devices().survey()](const workspace::JobControl&) {
        return check_form(request, *catalogue, database, devices.get());
      },
      [this](const FormCheck& check) { show_check(check); });
}

void SetupForm::show_check(const FormCheck& check) {
  check_ = check;
  checked_ = true;
  task_->show_check(check);
  target_->show_target(check.target);
  allow_template();
  show_templates(check);
  if (check.space) {
    space_->show_space(*check.space, {.members = check.members,
                                      .limits_known = check.limits_known,
                                      .limited = check.limited_members,
                                      .restricted = check.restricted_members});
  } else {
    space_->show_nothing(tr("No search space: see below"));
  }
  show_advice();
  show_problem();
  emit changed();
}

/** Disables what does not apply to a project, which has neither a template nor known limits. */
void SetupForm::allow_template() {
  const bool project = check_.project != nullptr;
  const QString no_template =
      project ? tr("A project of your own kernel has a source in place of a template") : QString();
  widgets::allow_field(*template_, no_template);
  template_->setPlaceholderText(project ? tr("none") : QString());
  respect_limits_->setEnabled(!project);
  respect_limits_->setToolTip(project ? tr("A configuration that the device rejects costs an instantiation "
                                           "error: declare a project's limits as conditions")
                                      : limits_help());
  allow_options();
}

/** Shows which tuner to choose for the space that was checked and the budget of the form. */
void SetupForm::show_advice() {
  if (!check_.space) return tuner_->hide_advice();
  const session::TuningRequest asked = request();
  const bool limited = check_.project == nullptr && session::enforces_limits(asked);
  const bool restricted = limited || !asked.restrictions.empty();
  tuner_->show_advice(tuner::advise_tuner({.members = restricted ? check_.restricted_members : check_.members,
                                           .knobs = check_.space->knobs().size(),
                                           .trials = asked.budget.trials,
                                           .failed_share = check_.failed_share,
                                           .has_sources = !asked.learn_from.empty()}));
}

/** Shows the templates that fit; the user's choice stays if it still fits. */
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
    run_check();  // the checked template does not fit this task or target
  }
}

QString SetupForm::problem() const {
  if (!catalogue_) return tr("The catalogue of tasks is being read.");
  if (const QString wrong = tuner_->problem(); !wrong.isEmpty()) return wrong;
  if (const QString wrong = budget_->problem(); !wrong.isEmpty()) return wrong;
  if (!checked_) return tr("Looking up the task…");
  if (const Error* error = check_.problem()) return error_text(*error);
  return {};
}

void SetupForm::show_problem() {
  const QString text = problem();
  problem_->setText(text);
  const QString seen = errors_.show(checked_ ? &check_ : nullptr, *this);
  const bool reported = !seen.isEmpty() && text == seen;
  problem_->setVisible(!text.isEmpty() && catalogue_ != nullptr && checked_ && !reported);
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

void SetupForm::choose_target() {
  task_->set_enabled(!target_->recorded());
  allow_options();
  schedule_check();
}

/** Checks the box of the limits as the user chose, or else as the tuner has it by default. */
void SetupForm::show_limits() {
  respect_limits_->setChecked(asked_limits_.value_or(enforced_by_default(tuner_->tuner())));
}

void SetupForm::allow_options() {
  const QString not_run = target_->build_only() ? tr("Build only: no kernel is run") : QString();
  budget_->allow_speed_limits(not_run);
  measuring_->set_target({.recorded = target_->recorded(),
                          .of_gpu = target_->of_gpu(),
                          .of_project = check_.project != nullptr,
                          .respects_limits = respect_limits_->isChecked(),
                          .not_run = not_run});
}

session::TuningRequest SetupForm::request() const {
  session::TuningRequest request;
  target_->write(request);
  if (!target_->recorded()) {
    task_->write(request);
    request.template_name = template_->currentText().toStdString();
  }
  request.tuner = tuner_->tuner();
  request.settings = tuner_->settings();
  budget_->write(request);
  if (respect_limits_->isEnabled()) request.respect_limits = asked_limits_;
  request.restrictions = space_->restrictions();
  measuring_->write(request.measuring);
  return request;
}

void SetupForm::set_request(const session::TuningRequest& request) {
  task_->read(request);
  target_->read(request);
  if (const QString name = QString::fromStdString(request.template_name); !name.isEmpty()) {
    if (template_->findText(name) < 0) template_->addItem(name);
    template_->setCurrentText(name);
  } else if (task_->names_project()) {
    template_->clear();
  }
  tuner_->read(request.tuner, request.settings);
  budget_->read(request);
  asked_limits_ = request.respect_limits;
  // The checked box of a tuner's default would exclude what the request builds.
  if (request.measuring.beyond_limits && enforced_by_default(request.tuner)) asked_limits_ = false;
  show_limits();
  space_->set_restrictions(request.restrictions);
  measuring_->read(request.measuring);
  choose_target();
}

void SetupForm::focus_task() { task_->focus(); }

}  // namespace kernelscape::views
