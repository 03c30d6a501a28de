#pragma once

#include <set>

#include "ui/frame/notices/information_bar.h"
#include "ui/frame/sessions/session_actions.h"

namespace kernelscape {

/** Offers once to resume sessions whose process died, or that were paused when the window closed. */
class InterruptionBar : public InformationBar {
  Q_OBJECT

 public:
  /** @param paused sessions that the window paused when it closed */
  InterruptionBar(Workspace& workspace, SessionActions& actions, std::set<SessionId> paused = {},
                  QWidget* parent = nullptr);

 private:
  void look();
  void resume_all();
  void dismiss();

  Workspace& workspace_;
  SessionActions& actions_;
  std::vector<SessionId> offered_;
  std::set<SessionId> answered_;
  std::set<SessionId> paused_;
};

}  // namespace kernelscape
