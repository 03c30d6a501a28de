#pragma once

#include <QObject>

#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::session {
struct TuningRequest;
}  // namespace kernelscape::session

namespace kernelscape::views {

class SetupForm;
struct TrustQuestion;

/** Queues the run of the form. Asks the user first to trust a project of the user's own kernel. */
class RunStarter : public QObject {
  Q_OBJECT

 public:
  /** @param form must outlive this object @param view parent of the questions, and owner of this object */
  RunStarter(workspace::Workspace& workspace, SetupForm& form, QWidget& view);

  /** Queues the run of the form, unless the form has a problem. */
  void start();

 signals:
  /** The form has a problem, which the user has to see. */
  void refused();
  /** A message for the notice bar. */
  void notified(const QString& text);

 private:
  void start_project(const session::TuningRequest& request, TrustQuestion question);
  void queue_run(const session::TuningRequest& request);

  workspace::Workspace& workspace_;
  SetupForm& form_;
  QWidget& view_;
  workspace::JobTracker trust_job_;  ///< reads a project again before the user is asked to trust it
};

}  // namespace kernelscape::views
