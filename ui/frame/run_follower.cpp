#include "ui/frame/run_follower.h"

#include "ui/views/project/trust_dialog.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::frame {

RunFollower::RunFollower(workspace::Workspace& workspace, QWidget& window)
    : QObject(&window), workspace_(workspace), window_(window) {
  connect(&workspace_.queue(), &workspace::RunQueue::session_started, this,
          [this](workspace::RunId run, store::SessionId session) {
            if (followed_.erase(run) > 0) workspace_.open_session(session);
          });
  connect(&workspace_.queue(), &workspace::RunQueue::run_ended, this, &RunFollower::ask_for_trust);
}

void RunFollower::start(const session::TuningRequest& request) {
  followed_.insert(workspace_.queue().start(request));
}

/** Asks the user to trust the project of a run, whichever list the run was started from. */
void RunFollower::ask_for_trust(workspace::RunId id) {
  const std::optional<workspace::RunView> run = workspace_.queue().run(id);
  if (!run || run->untrusted == nullptr) return;
  const bool followed = followed_.erase(id) > 0;
  // Each run has a job of its own: no question replaces another one.
  auto* job = new workspace::JobTracker(this);
  job->start([project = run->untrusted](
                 const workspace::JobControl&) { return views::make_trust_question(project); },
             [this, job, id, followed](views::TrustQuestion question) {
               job->deleteLater();
               views::ask_for_trust(window_, std::move(question), [this, id, followed] {
                 const std::optional<workspace::RunId> again = workspace_.queue().again(id);
                 if (again && followed) followed_.insert(*again);
               });
             });
}

}  // namespace kernelscape::frame
