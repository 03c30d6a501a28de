#include "ui/views/tune/run_starter.h"

#include <QWidget>

#include "core/project/kernel_project.h"
#include "core/session/project_preparation.h"
#include "core/store/store.h"
#include "ui/views/project/trust_dialog.h"
#include "ui/views/tune/setup_form.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::views {

RunStarter::RunStarter(workspace::Workspace& workspace, SetupForm& form, QWidget& view)
    : QObject(&view), workspace_(workspace), form_(form), view_(view) {}

void RunStarter::start() {
  if (const QString problem = form_.problem(); !problem.isEmpty()) {
    emit notified(problem);
    emit refused();
    return;
  }
  const session::TuningRequest request = form_.request();
  if (form_.check().project == nullptr) return queue_run(request);
  // The files may have changed since the form read them: the question is about their present content.
  trust_job_.start(
      [request, database = workspace_.database()](const workspace::JobControl&) -> Result<TrustQuestion> {
        const store::Store store = TRY(store::Store::open(database));
        auto project = TRY(session::requested_project(request, store));
        return project == nullptr ? TrustQuestion{} : make_trust_question(std::move(project));
      },
      [this, request](Result<TrustQuestion> question) {
        if (question && question->project != nullptr) return start_project(request, std::move(*question));
        form_.look_again();
        emit notified(question ? tr("The file is no longer a project of your own kernel.")
                               : QString::fromStdString(describe(question.error())));
      });
}

/** Asks before the run waits behind others. If a file changes meanwhile, the user is asked again. */
void RunStarter::start_project(const session::TuningRequest& request, TrustQuestion question) {
  if (question.content_hash != form_.check().project_hash) form_.look_again();
  ask_for_trust(
      *view_.window(), std::move(question),
      [this, request] {
        form_.look_again();
        queue_run(request);
      },
      &view_);
}

void RunStarter::queue_run(const session::TuningRequest& request) {
  const bool idle = workspace_.queue().idle();
  workspace_.queue().start(request);
  if (!idle) emit notified(tr("Queued: it starts when the runs before it are done."));
}

}  // namespace kernelscape::views
