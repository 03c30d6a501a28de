#pragma once

#include <set>

#include "ui/frame/notices/information_bar.h"
#include "ui/frame/sessions/session_actions.h"

namespace kernelscape {

/** Offers once to go on with sessions whose process died. */
class InterruptionBar : public InformationBar {
  Q_OBJECT

 public:
  InterruptionBar(Workspace& workspace, SessionActions& actions, QWidget* parent = nullptr);

 private:
  void look();
  void resume_all();
  void dismiss();

  Workspace& workspace_;
  SessionActions& actions_;
  std::vector<SessionId> offered_;
  std::set<SessionId> answered_;
};

}  // namespace kernelscape
