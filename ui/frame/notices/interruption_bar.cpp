#include "ui/frame/notices/interruption_bar.h"

#include <QPushButton>
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/session/ask_tell.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::frame {

InterruptionBar::InterruptionBar(workspace::Workspace& workspace, SessionActions& actions,
                                 std::set<store::SessionId> paused, QWidget* parent)
    : InformationBar(tr("Interrupted sessions"), parent),
      workspace_(workspace),
      actions_(actions),
      paused_(std::move(paused)) {
  hide();
  connect(add_button(tr("Resume")), &QPushButton::clicked, this, &InterruptionBar::resume_all);
  connect(this, &InformationBar::dismissed, this, &InterruptionBar::dismiss);
  connect(&workspace_, &workspace::Workspace::sessions_changed, this, &InterruptionBar::look);
  look();
}

void InterruptionBar::look() {
  offered_.clear();
  QString title;
  bool lost = false;
  for (const workspace::SessionEntry& session : *workspace_.sessions()) {
    const store::SessionId id = session.summary.record.id;
    const bool paused =
        paused_.contains(id) && session.summary.status.state == store::SessionState::Interrupted;
    if (!models::session_lost_its_owner(session) && !paused) continue;
    if (answered_.contains(id) || actions_.run_of(id)) continue;
    if (session::is_ask_tell(session.summary.record)) continue;  // only its client can resume it
    lost = lost || models::session_lost_its_owner(session);
    offered_.push_back(id);
    title = models::session_title(session);
  }
  setVisible(!offered_.empty());
  if (offered_.empty()) return;
  const QString count = style::format_count(static_cast<std::int64_t>(offered_.size()));
  const bool one = offered_.size() == 1;
  const QString text =
      lost  ? one ? tr("\"%1\" was interrupted.").arg(title) : tr("%1 sessions were interrupted.").arg(count)
       : one ? tr("\"%1\" was paused when the window closed.").arg(title)
            : tr("%1 sessions were paused when the window closed.").arg(count);
  set_message(workspace::Notice::Kind::Warning, text,
              tr("All trials are kept. Resume continues where the session stopped."));
}

void InterruptionBar::resume_all() {
  // The oldest session first, in the order in which they were started.
  const std::vector<store::SessionId> sessions = std::exchange(offered_, {});
  answered_.insert(sessions.begin(), sessions.end());
  for (auto id = sessions.rbegin(); id != sessions.rend(); ++id) actions_.resume(*id);
  hide();
}

void InterruptionBar::dismiss() {
  const std::vector<store::SessionId> sessions = std::exchange(offered_, {});
  answered_.insert(sessions.begin(), sessions.end());
  hide();
  std::vector<store::SessionId> lost;
  std::ranges::copy_if(sessions, std::back_inserter(lost),
                       [this](store::SessionId id) { return !paused_.contains(id); });
  if (!lost.empty()) actions_.acknowledge_lost(lost);
}

}  // namespace kernelscape::frame
