#include "ui/views/runs/resume_dialog.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/session/ask_tell.h"
#include "core/session/report.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/widgets/form_fields.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {
namespace {

constexpr int resume_dialog_width = 440;

FinishedSession describe_finished(store::SessionId id, const store::SessionStatus& status,
                                  const trial::Budget& budget, double flops) {
  return {
      .id = id,
      .title = {},
      .reason = QString::fromStdString(status.state_reason),
      .budget = budget,
      .use = {.trials = status.trial_count,
              .session_seconds = status.session_seconds,
              .best_gflops =
                  flops > 0 && status.best_seconds > 0 ? trial::fitness_of(status.best_seconds, flops) : 0,
              .best_trial = status.best_trial},
      .failed_identically = session::failed_identically(status)};
}

int shown_count(std::int64_t count) {
  return static_cast<int>(std::min<std::int64_t>(count, widgets::max_count));
}

/** Returns a limit that a field of smaller range shows: never less than the limit before. */
std::int64_t raised_count(std::int64_t before, int shown) { return std::max<std::int64_t>(before, shown); }

}  // namespace

FinishedSession finished_session(const workspace::SessionEntry& session) {
  const store::SessionSummary& summary = session.summary;
  FinishedSession finished =
      describe_finished(summary.record.id, summary.status, models::session_budget(session), session.flops);
  finished.title = models::session_title(summary.record);
  return finished;
}

FinishedSession finished_session(const workspace::SourceData& source) {
  FinishedSession finished =
      describe_finished(source.id(), source.status, source.budget.budget, source.flops());
  finished.title = models::session_title(source.record());
  return finished;
}

QString client_resume_text(const store::SessionRecord& record) {
  if (!session::is_ask_tell(record)) return {};
  return ResumeDialog::tr(
             "A client measures it: let the client resume it with kernelscape ask-tell --resume %1.")
      .arg(record.id);
}

bool can_raise_budget(const workspace::SessionEntry& session) {
  const store::SessionRecord& record = session.summary.record;
  const bool tuned =
      record.kind == store::SessionKind::Measured || record.kind == store::SessionKind::Replayed;
  return session.summary.status.state == store::SessionState::Done && tuned && !session::is_ask_tell(record);
}

trial::Budget larger_budget(const FinishedSession& session) {
  constexpr double faster = 1.1;
  const trial::BudgetUse& use = session.use;
  trial::Budget larger = session.budget;
  while (larger.trials > 0 && use.trials >= larger.trials) larger.trials *= 2;
  while (larger.minutes > 0 && use.session_seconds >= trial::budget_seconds(larger)) larger.minutes *= 2;
  if (larger.target_gflops > 0 && use.best_gflops >= larger.target_gflops)
    larger.target_gflops = faster * use.best_gflops;
  const std::int64_t without_better = use.trials - 1 - use.best_trial;
  while (larger.patience > 0 && without_better >= larger.patience) larger.patience *= 2;
  if (larger != session.budget || session.failed_identically) return larger;
  // The session ended slightly before a limit: its time was over while a batch was measured.
  larger.trials *= 2;
  larger.minutes *= 2;
  return larger;
}

ResumeDialog::ResumeDialog(workspace::Workspace& workspace, FinishedSession session, QWidget* parent)
    : QDialog(parent), workspace_(workspace), session_(std::move(session)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Resume %1").arg(session_.title));
  setMinimumWidth(resume_dialog_width);
  auto* text = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text);
  text->setTextFormat(Qt::PlainText);
  text->setText(tr("The session ended after %1 trials and %2: %3. Its new limits count the trials and the "
                   "time that it has used.")
                    .arg(style::format_count(session_.use.trials),
                         style::format_duration(session_.use.session_seconds), session_.reason));
  make_fields();
  auto* form = new QFormLayout;
  form->addRow(tr("Trials"), trials_);
  form->addRow(tr("Time"), minutes_);
  if (target_gflops_ != nullptr) form->addRow(tr("Target"), target_gflops_);
  if (patience_ != nullptr) form->addRow(tr("Patience"), patience_);
  if (keep_going_ != nullptr) form->addRow(keep_going_);
  problem_ = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::warning);
  problem_->setTextFormat(Qt::PlainText);
  resume_ = new QPushButton(tr("Resume"));
  resume_->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"));
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(cancel);
  buttons->addWidget(resume_);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(style::grid_pixels);
  column->addWidget(text);
  column->addLayout(form);
  column->addWidget(problem_);
  column->addStretch(1);
  column->addLayout(buttons);
  connect(resume_, &QPushButton::clicked, this, &ResumeDialog::resume);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(&workspace_.queue(), &workspace::RunQueue::changed, this, &ResumeDialog::show_problem);
  show_problem();
}

void ResumeDialog::make_fields() {
  constexpr double max_minutes = 1e6;
  constexpr double max_gflops = 1e9;
  const trial::Budget& before = session_.budget;
  const trial::Budget larger = larger_budget(session_);
  trials_ = widgets::make_count(this, tr("Trials"), shown_count(before.trials), shown_count(larger.trials),
                                before.trials > 0 ? QString() : tr("no limit"));
  minutes_ = widgets::make_amount(this, tr("Minutes"), std::max(max_minutes, larger.minutes), larger.minutes,
                                  tr("min"), before.minutes > 0 ? QString() : tr("no limit"));
  minutes_->setMinimum(before.minutes);
  connect(trials_, &QSpinBox::valueChanged, this, &ResumeDialog::show_problem);
  connect(minutes_, &QDoubleSpinBox::valueChanged, this, &ResumeDialog::show_problem);
  if (before.target_gflops > 0) {
    target_gflops_ =
        widgets::make_amount(this, tr("Target in GFLOPS"), std::max(max_gflops, larger.target_gflops),
                             larger.target_gflops, tr("GFLOPS"));
    target_gflops_->setMinimum(before.target_gflops);
    connect(target_gflops_, &QDoubleSpinBox::valueChanged, this, &ResumeDialog::show_problem);
  }
  if (before.patience > 0) {
    patience_ = widgets::make_count(this, tr("Patience: trials without an improvement"),
                                    shown_count(before.patience), shown_count(larger.patience));
    connect(patience_, &QSpinBox::valueChanged, this, &ResumeDialog::show_problem);
  }
  if (!session_.failed_identically) return;
  keep_going_ = new QCheckBox(tr("Keep going when all trials fail"), this);
  connect(keep_going_, &QCheckBox::toggled, this, &ResumeDialog::show_problem);
}

trial::Budget ResumeDialog::budget() const {
  trial::Budget budget = session_.budget;
  budget.trials = raised_count(budget.trials, trials_->value());
  // The field rounds: a limit is never lowered.
  budget.minutes = std::max(budget.minutes, minutes_->value());
  if (target_gflops_ != nullptr)
    budget.target_gflops = std::max(budget.target_gflops, target_gflops_->value());
  if (patience_ != nullptr) budget.patience = raised_count(budget.patience, patience_->value());
  if (keep_going_ != nullptr && keep_going_->isChecked()) budget.identical_failures = 0;
  return budget;
}

QString ResumeDialog::problem() const {
  for (const workspace::RunView& run : workspace_.queue().runs())
    if (run.session == session_.id && !workspace::has_ended(run.state))
      return tr("The session runs or is queued already.");
  if (const auto reached = trial::budget_reached(budget(), session_.use))
    return tr("With these limits the session ends at once: %1.").arg(QString::fromStdString(*reached));
  if (keep_going_ != nullptr && !keep_going_->isChecked())
    return tr(
        "All its trials failed in the same way, so the session ends at once. Correct the kernel and "
        "start again, or check \"Keep going when all trials fail\".");
  return {};
}

void ResumeDialog::show_problem() {
  const QString found = problem();
  problem_->setText(found);
  problem_->setVisible(!found.isEmpty());
  resume_->setEnabled(found.isEmpty());
}

void ResumeDialog::resume() {
  if (!problem().isEmpty()) return show_problem();
  workspace_.queue().resume(session_.id, budget());
  emit resumed(session_.id);
  accept();
}

}  // namespace kernelscape::views
