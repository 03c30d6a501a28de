#include "ui/frame/notices/run_notices.h"

#include <algorithm>

#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/workspace/notices.h"

namespace kernelscape::frame {
namespace {

QString from(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/** Returns the session of a run, or null if the list of sessions does not contain it yet. */
const workspace::SessionEntry* session_of(const workspace::Workspace& workspace,
                                          const workspace::RunView& run) {
  for (const workspace::SessionEntry& session : *workspace.sessions()) {
    if (session.summary.record.id == run.session) return &session;
  }
  return nullptr;
}

}  // namespace

QString outcome_text(const workspace::RunView& run, const workspace::SessionEntry* session) {
  const QString trials = run.status.trial_count == 1
                             ? RunNotices::tr("1 trial")
                             : RunNotices::tr("%1 trials").arg(style::format_count(run.status.trial_count));
  if (session != nullptr && session->build_only) return RunNotices::tr("%1, built only").arg(trials);
  if (run.status.best_trial < 0) return RunNotices::tr("%1, no valid kernel").arg(trials);
  const double seconds = run.best.exists() ? run.best.value.seconds : run.status.best_seconds;
  const double flops = session != nullptr ? session->flops : 0;
  const QString best = flops > 0 ? style::format_quantity(flops / seconds, QStringLiteral("FLOPS"))
                                 : style::format_quantity(seconds, QStringLiteral("s"));
  const QString text = RunNotices::tr("%1, best %2").arg(trials, best);
  if (!run.best.exists() || session == nullptr) return text;
  return QStringLiteral("%1, %2").arg(text, models::trust_text(session->summary.record, run.best));
}

RunNotices::RunNotices(workspace::Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace), throttle_([this] { notify_messages(); }, this) {
  connect(&workspace_.queue(), &workspace::RunQueue::changed, this, [this] { throttle_.request(); });
  connect(&workspace_.queue(), &workspace::RunQueue::run_ended, this, &RunNotices::notify_end);
}

void RunNotices::notify_messages() {
  for (const workspace::RunView& run : workspace_.queue().runs()) {
    std::size_t& reported = notified_[run.id];
    for (; reported < run.messages.size(); ++reported) {
      const session::Message& message = run.messages[reported];
      const QString text =
          QStringLiteral("%1: %2").arg(QString::fromStdString(run.title), from(message.text));
      if (message.kind == session::MessageKind::Waiting || message.kind == session::MessageKind::Step ||
          message.kind == session::MessageKind::Note) {
        workspace_.notices().inform(text);
      } else {
        // The warning is stored with the session, so that the headline shows it permanently.
        workspace_.notices().warn_briefly(text);
      }
    }
  }
}

void RunNotices::notify_end(workspace::RunId id) {
  notify_messages();
  const std::optional<workspace::RunView> run = workspace_.queue().run(id);
  if (!run) return;
  const QString title = QString::fromStdString(run->title);
  if (run->untrusted) {  // the user is asked to trust the project: this is not an error
    workspace_.notices().inform(
        tr("%1 waits: its project is not trusted yet, so nothing of it is run").arg(title));
    return;
  }
  if (run->error) {
    Error error = *run->error;
    error.message = run->title + ": " + error.message;
    workspace_.notices().fail(error);
    emit run_finished(tr("%1 failed").arg(title), from(run->error->message));
    return;
  }
  const QString text = run->session ? outcome_text(*run, session_of(workspace_, *run)) : QString();
  const QString state = QStringLiteral("%1: %2").arg(title, models::run_state_text(*run));
  workspace_.notices().inform(text.isEmpty() ? state : QStringLiteral("%1, %2").arg(state, text));
  if (run->state == workspace::RunState::Done) emit run_finished(tr("%1 is done").arg(title), text);
}

}  // namespace kernelscape::frame
