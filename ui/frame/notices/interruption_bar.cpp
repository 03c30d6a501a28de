#include "ui/frame/notices/interruption_bar.h"

#include <QPushButton>

#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape {

InterruptionBar::InterruptionBar(Workspace& workspace, SessionActions& actions, QWidget* parent)
    : InformationBar(tr("Interrupted sessions"), parent), workspace_(workspace), actions_(actions) {
  hide();
  connect(add_button(tr("Resume")), &QPushButton::clicked, this, &InterruptionBar::resume_all);
  connect(this, &InformationBar::dismissed, this, &InterruptionBar::dismiss);
  connect(&workspace_, &Workspace::sessions_changed, this, &InterruptionBar::look);
  look();
}

void InterruptionBar::look() {
  offered_.clear();
  QString title;
  for (const SessionEntry& session : *workspace_.sessions()) {
    const SessionId id = session.summary.record.id;
    if (!session_lost_its_owner(session) || answered_.contains(id) || actions_.run_of(id)) continue;
    offered_.push_back(id);
    title = session_title(session);
  }
  setVisible(!offered_.empty());
  if (offered_.empty()) return;
  const QString text =
      offered_.size() == 1
          ? tr("\"%1\" was interrupted.").arg(title)
          : tr("%1 sessions were interrupted.").arg(format_count(static_cast<std::int64_t>(offered_.size())));
  set_message(Notice::Kind::Warning, text, tr("Every trial is kept; resuming goes on where it stopped."));
}

void InterruptionBar::resume_all() {
  // The oldest first, as they were started.
  const std::vector<SessionId> sessions = std::exchange(offered_, {});
  answered_.insert(sessions.begin(), sessions.end());
  for (auto id = sessions.rbegin(); id != sessions.rend(); ++id) actions_.resume(*id);
  hide();
}

void InterruptionBar::dismiss() {
  const std::vector<SessionId> sessions = std::exchange(offered_, {});
  answered_.insert(sessions.begin(), sessions.end());
  hide();
  actions_.acknowledge_lost(sessions);
}

}  // namespace kernelscape
