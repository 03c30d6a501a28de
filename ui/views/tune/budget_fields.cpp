#include "ui/views/tune/budget_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <algorithm>

#include "core/session/preparation.h"
#include "ui/views/runs/form_section.h"
#include "ui/widgets/form_fields.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::views {

BudgetFields::BudgetFields(workspace::Workspace& workspace, QFormLayout& rows, QWidget* parent)
    : QObject(parent), workspace_(workspace) {
  const trial::Budget usual;
  trials_ = widgets::make_count(parent, tr("Trials"), 0, static_cast<int>(usual.trials), tr("no limit"));
  minutes_ = widgets::make_amount(parent, tr("Minutes"), 1e6, usual.minutes, tr("min"), tr("no limit"));
  rows.addRow(tr("Trials"), trials_);
  rows.addRow(tr("Time"), minutes_);
  auto* more = new FormSection(tr("More"), false, parent);
  add_more(more->form(), parent);
  rows.addRow(more);
  connect(trials_, &QSpinBox::valueChanged, this, &BudgetFields::budget_changed);
  connect(minutes_, &QDoubleSpinBox::valueChanged, this, &BudgetFields::budget_changed);
  connect(keep_going_, &QCheckBox::toggled, this, &BudgetFields::budget_changed);
  connect(seed_, &QLineEdit::textChanged, this, &BudgetFields::seed_changed);
  connect(&workspace_, &workspace::Workspace::sessions_changed, this, &BudgetFields::fill_warm_starts);
  fill_warm_starts();
}

void BudgetFields::add_more(QFormLayout& rows, QWidget* parent) {
  const trial::Budget usual;
  target_gflops_ = widgets::make_amount(parent, tr("Target in GFLOPS"), 1e9, usual.target_gflops,
                                        tr("GFLOPS"), tr("none"));
  patience_ =
      widgets::make_count(parent, tr("Patience: trials without an improvement"), 0, 0, tr("no limit"));
  keep_going_ = new QCheckBox(tr("Keep going when all trials fail"), parent);
  keep_going_->setToolTip(tr("Otherwise a session ends once at least %1 configurations and a whole batch "
                             "have failed in the same way and none has succeeded")
                              .arg(usual.identical_failures));
  seed_ = new QLineEdit(parent);
  seed_->setPlaceholderText(tr("drawn and stored"));
  seed_->setAccessibleName(tr("Seed"));
  name_ = new QLineEdit(parent);
  name_->setPlaceholderText(tr("none"));
  name_->setAccessibleName(tr("Name of the session"));
  warm_start_ = new QComboBox(parent);
  warm_start_->setAccessibleName(tr("Warm start: begin with the trials of another session"));
  warm_start_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  rows.addRow(tr("Target"), target_gflops_);
  rows.addRow(tr("Patience"), patience_);
  rows.addRow(keep_going_);
  rows.addRow(tr("Seed"), seed_);
  rows.addRow(tr("Name"), name_);
  rows.addRow(tr("Warm start"), warm_start_);
  learn_from_ = new QLineEdit(parent);
  learn_from_->setPlaceholderText(tr("none"));
  learn_from_->setAccessibleName(tr("Learn from related spaces"));
  learn_from_->setToolTip(
      tr("Trials of the same kernel on another device, or of a similar task: sessions, collections and "
         "files with recorded spaces, separated by semicolons. The tuner gp follows them as far as they "
         "predict this session's trials."));
  rows.addRow(tr("Learn from"), learn_from_);
}

void BudgetFields::fill_warm_starts() {
  const QString chosen = warm_start_->currentData().toString();
  const QSignalBlocker quiet(warm_start_);
  warm_start_->clear();
  warm_start_->addItem(tr("none"), QString());
  for (const workspace::SessionEntry& entry : *workspace_.sessions()) {
    const store::SessionRecord& record = entry.summary.record;
    if (entry.summary.status.trial_count == 0) continue;
    warm_start_->addItem(
        QStringLiteral("%1: %2 %3")
            .arg(record.id)
            .arg(QString::fromStdString(record.task_name), QString::fromStdString(record.tuner)),
        QString::number(record.id));
  }
  warm_start_->setCurrentIndex(std::max(0, warm_start_->findData(chosen)));
}

void BudgetFields::allow_speed_limits(const QString& not_run) {
  run_ = not_run.isEmpty();
  widgets::allow_field(*target_gflops_, not_run);
  widgets::allow_field(*patience_, not_run);
}

QString BudgetFields::problem() const {
  const QString text = seed_->text().trimmed();
  bool is_number = false;
  text.toULongLong(&is_number);
  return text.isEmpty() || is_number
             ? QString()
             : tr("The seed \"%1\" is not a whole number from 0 to 2^64 - 1.").arg(text);
}

void BudgetFields::write(session::TuningRequest& request) const {
  request.budget = {.trials = trials_->value(), .minutes = minutes_->value()};
  if (run_) {
    request.budget.target_gflops = target_gflops_->value();
    request.budget.patience = patience_->value();
  }
  if (keep_going_->isChecked()) request.budget.identical_failures = 0;
  bool is_number = false;
  const qulonglong seed = seed_->text().trimmed().toULongLong(&is_number);
  if (is_number) request.seed = seed;
  request.name = name_->text().trimmed().toStdString();
  request.warm_start = warm_start_->currentData().toString().toStdString();
  request.learn_from.clear();
  for (const QString& source : learn_from_->text().split(QLatin1Char(';'))) {
    const QString name = source.trimmed();
    if (!name.isEmpty()) request.learn_from.push_back(name.toStdString());
  }
}

void BudgetFields::read(const session::TuningRequest& request) {
  trials_->setValue(static_cast<int>(std::min<std::int64_t>(request.budget.trials, widgets::max_count)));
  minutes_->setValue(request.budget.minutes);
  target_gflops_->setValue(request.budget.target_gflops);
  patience_->setValue(static_cast<int>(std::min<std::int64_t>(request.budget.patience, widgets::max_count)));
  keep_going_->setChecked(request.budget.identical_failures == 0);
  seed_->setText(request.seed ? QString::number(*request.seed) : QString());
  name_->setText(QString::fromStdString(request.name));
  warm_start_->setCurrentIndex(
      std::max(0, warm_start_->findData(QString::fromStdString(request.warm_start))));
  QStringList sources;
  for (const std::string& source : request.learn_from) sources.append(QString::fromStdString(source));
  learn_from_->setText(sources.join(QStringLiteral("; ")));
}

}  // namespace kernelscape::views
