#include "ui/frame/status_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QProgressBar>
#include <QToolButton>
#include <algorithm>
#include <map>
#include <string>

#include "core/trial/session_speeds.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/session_watch.h"
#include "ui/workspace/study_runner.h"

namespace kernelscape::frame {
namespace {

constexpr int progress_steps = 1000;
constexpr int progress_width = 160;
constexpr double seconds_per_minute = 60;

/** Returns the used part of the budget, 0 to 1; -1 if it has no limits. */
double progress_of(const workspace::RunView& run) {
  double share = -1;
  if (run.budget.trials > 0)
    share = static_cast<double>(run.status.trial_count) / static_cast<double>(run.budget.trials);
  if (run.budget.minutes > 0)
    share = std::max(share, run.status.session_seconds / (run.budget.minutes * seconds_per_minute));
  return std::min(share, 1.0);
}

QString trials_text(const workspace::RunView& run) {
  const QString made = style::format_count(run.status.trial_count);
  if (run.budget.trials <= 0)
    return run.status.trial_count == 1 ? StatusLine::tr("1 trial") : StatusLine::tr("%1 trials").arg(made);
  return QStringLiteral("%1/%2").arg(made, style::format_count(run.budget.trials));
}

/** Returns the device that is waited for, and its user; empty: none is. */
QString awaited_text(const std::optional<workspace::RunView>& active,
                     const std::optional<workspace::StudyRunView>& study) {
  if (active && active->state == workspace::RunState::Waiting) {
    const auto message = std::ranges::find(active->messages.rbegin(), active->messages.rend(),
                                           session::MessageKind::Waiting, &session::Message::kind);
    if (message != active->messages.rend()) return QString::fromStdString(message->text);
  }
  return study ? QString::fromStdString(study->awaited) : QString();
}

}  // namespace

StatusLine::StatusLine(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      title_(new QToolButton(this)),
      progress_(new QProgressBar(this)),
      trials_(new QLabel(this)),
      speed_(new QLabel(this)),
      left_(new QLabel(this)),
      machine_(new QLabel(this)),
      queued_(new QLabel(this)),
      device_(new QLabel(this)),
      throttle_([this] { update_texts(); }, this) {
  setAccessibleName(tr("Status"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 0, 8, 0);
  row->setSpacing(16);
  title_->setAutoRaise(true);
  title_->setFocusPolicy(Qt::TabFocus);
  progress_->setRange(0, progress_steps);
  progress_->setTextVisible(false);
  progress_->setFixedWidth(progress_width);
  progress_->setMaximumHeight(fontMetrics().height());
  progress_->setAccessibleName(tr("Progress of the run"));
  row->addWidget(title_);
  row->addWidget(progress_);
  for (QLabel* label : {trials_, speed_, left_, machine_}) row->addWidget(label);
  row->addStretch(1);
  row->addWidget(queued_);
  row->addWidget(device_);
  connect(title_, &QToolButton::clicked, this, &StatusLine::request_shown);
  connect(&workspace_.queue(), &workspace::RunQueue::changed, this, [this] { throttle_.request(); });
  connect(&workspace_.study_runner(), &workspace::StudyRunner::changed, this,
          [this] { throttle_.request(); });
  connect(&workspace_.study_runner(), &workspace::StudyRunner::ended, this, [this] { throttle_.request(); });
  connect(&workspace_, &workspace::Workspace::sessions_changed, this, [this] { throttle_.request(); });
  update_texts();
}

/**
 * Returns which devices are used, and by whom; a session that only builds uses none. A session is owned by
 * the process that runs it or measures its trials again; the sessions of this window's studies are not in the
 * list.
 */
QString StatusLine::device_text(const std::optional<workspace::RunView>& active,
                                const std::optional<workspace::StudyRunView>& study) const {
  std::map<std::string, bool> used;  // by device: true if this process uses it
  if (active && !active->device.empty()) {
    if (active->state == workspace::RunState::Waiting)
      used.emplace(active->device, false);
    else if (active->session)
      used.emplace(active->device, true);
  }
  if (study && !study->device.empty() && (study->measuring || !study->awaited.empty()))
    used.emplace(study->device, study->measuring);
  const store::Owner self = store::Owner::this_process();
  for (const workspace::SessionEntry& session : *workspace_.sessions()) {
    const std::optional<store::Owner>& owner = session.summary.owner;
    if (!owner || !owner->alive() || !session.summary.record.real_measurements || session.build_only)
      continue;
    // Which device a run of this process uses is known better from the queue.
    if (*owner != self || !models::session_runs(session))
      used.emplace(session.summary.record.target_name, *owner == self);
  }
  QStringList texts;
  for (const auto& [device, own] : used)
    texts
        << (own ? tr("%1 measuring") : tr("%1 used by another process")).arg(QString::fromStdString(device));
  return texts.isEmpty() ? tr("no device used") : texts.join(QStringLiteral(", "));
}

void StatusLine::update_texts() {
  const std::optional<workspace::RunView> active = workspace_.queue().active();
  const std::vector<workspace::RunView> runs = workspace_.queue().runs();
  const std::optional<workspace::StudyRunView> study = workspace_.study_runner().active();
  if (active) {
    show_run(*active);
  } else if (study) {
    show_study(*study);
  } else if (const auto last =
                 std::ranges::find_if(runs.rbegin(), runs.rend(),
                                      [](const workspace::RunView& run) { return run.session.has_value(); });
             last != runs.rend()) {
    show_run(*last);
  } else {
    show_nothing();
  }
  const std::size_t queued = workspace_.queue().queued_count();
  queued_->setText(tr("%1 queued").arg(style::format_count(static_cast<std::int64_t>(queued))));
  queued_->setVisible(queued > 0);
  device_->setText(device_text(active, study));
  device_->setToolTip(awaited_text(active, study));
}

void StatusLine::show_run(const workspace::RunView& run) {
  study_.reset();
  session_ = run.session;
  const bool moving = !workspace::has_ended(run.state);
  const QString title = QString::fromStdString(run.title);
  title_->setText(run.state == workspace::RunState::Running
                      ? title
                      : QStringLiteral("%1: %2").arg(title, models::run_state_text(run)));
  title_->setEnabled(session_.has_value());
  title_->setToolTip(tr("Show this session"));
  title_->setAccessibleName(title_->text());
  const double progress = progress_of(run);
  progress_->setVisible(moving && progress >= 0);
  progress_->setValue(static_cast<int>(std::max(progress, 0.0) * progress_steps));
  trials_->setVisible(run.session.has_value());
  trials_->setText(trials_text(run));
  speed_->setVisible(moving && run.trials_per_second > 0);
  speed_->setText(tr("%1 trials/s").arg(style::format_number(run.trials_per_second, 3)));
  const bool confirming = run.phase == session::Phase::Confirming;
  left_->setVisible(moving && (run.seconds_left >= 0 || confirming));
  left_->setText(confirming ? tr("measuring the best again") : style::format_duration_left(run.seconds_left));
  machine_->setText(QString::fromStdString(trial::machine_state_text(run.batch.speed, run.batch.waiting)));
  machine_->setVisible(moving && !machine_->text().isEmpty());
}

void StatusLine::show_study(const workspace::StudyRunView& study) {
  session_.reset();
  study_ = study.id;
  const study::Progress& progress = study.progress;
  const bool waits = !study.awaited.empty();
  title_->setText(study.stopping ? tr("study %1: stopping").arg(study.id)
                  : waits        ? tr("study %1: waiting for the device").arg(study.id)
                                 : tr("study %1").arg(study.id));
  title_->setEnabled(true);
  title_->setToolTip(tr("Show this study"));
  title_->setAccessibleName(title_->text());
  // Layers that share a budget are all completed at the same time, at its end.
  const bool shared = progress.max_trials > 0;
  const std::int64_t most = shared ? progress.max_trials : progress.runs;
  const std::int64_t done = shared ? progress.trials : progress.done;
  progress_->setVisible(most > 0);
  const double share = most > 0 ? static_cast<double>(done) / static_cast<double>(most) : 0;
  progress_->setValue(static_cast<int>(share * progress_steps));
  trials_->show();
  const QString runs = shared ? tr("%1/%2 trials").arg(style::format_count(done), style::format_count(most))
                              : tr("%1/%2 runs").arg(style::format_count(done), style::format_count(most));
  trials_->setText(progress.failed > 0 ? tr("%1, %2 failed").arg(runs, style::format_count(progress.failed))
                                       : runs);
  speed_->hide();
  machine_->hide();
  left_->setVisible(progress.seconds_left >= 0 && !waits);
  left_->setText(style::format_duration_left(progress.seconds_left));
}

void StatusLine::show_nothing() {
  study_.reset();
  session_.reset();
  title_->setText(tr("No active run"));
  title_->setAccessibleName(title_->text());
  title_->setEnabled(false);
  progress_->hide();
  for (QLabel* label : {trials_, speed_, left_, machine_}) label->hide();
}

void StatusLine::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) request_shown();
}

void StatusLine::request_shown() {
  if (study_) return emit study_requested(*study_);
  if (session_) emit session_requested(*session_);
}

}  // namespace kernelscape::frame
