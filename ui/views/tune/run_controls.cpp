#include "ui/views/tune/run_controls.h"

#include <QKeySequence>

#include "ui/views/runs/resume_dialog.h"
#include "ui/views/tune/remeasure_dialog.h"

namespace kernelscape::views {

RunControls::RunControls(workspace::Workspace& workspace, ActionRegistry& actions,
                         workspace::Remeasure remeasure, QWidget& view)
    : QObject(&view), workspace_(workspace), view_(view), measuring_(workspace, std::move(remeasure)) {
  add_actions(actions);
  connect_measuring();
}

void RunControls::add_actions(ActionRegistry& actions) {
  pause_ = actions.add(
      {.id = "run.pause",
       .text = tr("Pause"),
       .menu = tr("Run"),
       .shortcut = QKeySequence(Qt::CTRL | Qt::Key_P),
       .icon = "pause",
       .help = tr("Pause the running session after the current measurements; press again to resume")},
      [this] { pause_or_resume(); });
  stop_ = actions.add(
      {.id = "run.stop",
       .text = tr("Stop"),
       .menu = tr("Run"),
       .shortcut = QKeySequence(Qt::CTRL | Qt::Key_Period),
       .icon = "stop",
       .help = tr("Stop after the current measurements; press again to stop at once. All results are kept")},
      [this] { stop(); });
  resume_ =
      actions.add({.id = "run.resume",
                   .text = tr("Resume"),
                   .menu = tr("Run"),
                   .icon = "resume",
                   .help = tr("Resume the shown session; a finished one asks for a larger budget first")},
                  [this] { resume(); });
  measure_ =
      actions.add({.id = "run.measure-again",
                   .text = tr("Measure the best again"),
                   .menu = tr("Run"),
                   .icon = "start",
                   .help = tr("Measure the five best trials and the vendor's library again, interleaved")},
                  [this] { measure_best_again(); });
}

void RunControls::connect_measuring() {
  connect(&measuring_, &workspace::MeasuringAgain::started, this, [this] {
    if (!measuring_.extra_trial())
      emit notified(tr("Measuring the best trials again, interleaved with the baselines…"));
    update();
  });
  connect(&measuring_, &workspace::MeasuringAgain::finished, this,
          [this](store::SessionId, bool measured, const QString& found) {
            if (measured)
              emit notified(measuring_.extra_trial()
                                ? found
                                : tr("The best trials were measured again. %1").arg(found));
            update();
          });
}

void RunControls::pause_or_resume() {
  const std::optional<workspace::RunView> active = workspace_.queue().active();
  if (active) {
    workspace_.queue().pause(active->id);
  } else {
    resume();
  }
}

void RunControls::stop() {
  measuring_.stop();
  if (const std::optional<workspace::RunView> active = workspace_.queue().active())
    workspace_.queue().stop(active->id);
}

QString RunControls::resume_problem() {
  const workspace::Source& source = workspace_.source();
  if (!source) return tr("No session is shown.");
  for (const workspace::RunView& run : workspace_.queue().runs()) {
    if (run.session == source->id() && !workspace::has_ended(run.state))
      return tr("It runs or is queued already.");
  }
  if (source->running()) return tr("Another process runs it.");
  if (source->record().kind == store::SessionKind::Imported ||
      source->record().kind == store::SessionKind::Recorded)
    return tr("It was imported from a file: it has no tuner that could resume it.");
  if (const QString client = client_resume_text(source->record()); !client.isEmpty()) return client;
  if (source->status.state == store::SessionState::Failed)
    return tr("It failed: resuming would meet the same error.");
  return {};
}

void RunControls::resume() {
  if (const QString problem = resume_problem(); !problem.isEmpty()) {
    emit notified(problem);
    return;
  }
  const workspace::SourceData& source = *workspace_.source();
  if (source.status.state != store::SessionState::Done) {
    workspace_.queue().resume(source.id());
    return;
  }
  delete resume_dialog_;  // its session may have been resumed meanwhile
  resume_dialog_ = new ResumeDialog(workspace_, finished_session(source), &view_);
  resume_dialog_->show();
}

void RunControls::measure_trial(std::int64_t row) {
  const workspace::Source& source = workspace_.source();
  if (!source || row >= source->trials.size()) return;
  workspace_.set_current_row(row);
  auto* dialog = new RemeasureDialog(workspace_, measuring_, source, row, &view_);
  dialog->show();
}

void RunControls::measure_best_again() {
  const workspace::Source& source = workspace_.source();
  if (!source || measuring_.busy()) return;
  measuring_.start(source->id());
}

void RunControls::update() {
  const std::optional<workspace::RunView> active = workspace_.queue().active();
  const QString problem = resume_problem();
  update_pause(active, problem);
  stop_->setEnabled(active.has_value() || measuring_.busy());
  const bool stopping = active && active->state == workspace::RunState::Stopping;
  stop_->setText(stopping ? tr("Stop at once") : tr("Stop"));
  update_resume(problem);
  const workspace::Source& source = workspace_.source();
  measure_->setEnabled(source && !source->running() && !source->improvements.empty() && !measuring_.busy());
}

void RunControls::update_pause(const std::optional<workspace::RunView>& active, const QString& problem) {
  const bool can_pause = active && active->state != workspace::RunState::Pausing &&
                         active->state != workspace::RunState::Stopping;
  const workspace::Source& source = workspace_.source();
  const bool waits = source && source->status.state == store::SessionState::Interrupted && problem.isEmpty();
  pause_->setEnabled(can_pause || (!active && waits));
  pause_->setToolTip(can_pause ? tr("Pause after the current measurements")
                     : active  ? tr("It ends after the current measurements.")
                     : waits   ? tr("Resume the shown session")
                               : tr("This window runs no session."));
}

void RunControls::update_resume(const QString& problem) {
  const workspace::Source& source = workspace_.source();
  const bool finished = source && source->status.state == store::SessionState::Done;
  resume_->setEnabled(problem.isEmpty());
  resume_->setText(finished ? tr("Resume…") : tr("Resume"));
  resume_->setToolTip(!problem.isEmpty() ? problem
                      : finished         ? tr("Raise the budget of the shown session, and resume it")
                                         : tr("Resume the shown session"));
}

}  // namespace kernelscape::views
