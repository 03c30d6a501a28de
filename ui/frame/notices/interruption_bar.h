#pragma once

#include <set>

#include "ui/frame/notices/information_bar.h"
#include "ui/frame/sessions/session_actions.h"

namespace kernelscape::frame {

/** Offers once to resume sessions whose process died, or that were paused when the window closed. */
class InterruptionBar : public InformationBar {
  Q_OBJECT

 public:
  /** @param paused sessions that the window paused when it closed */
  InterruptionBar(workspace::Workspace& workspace, SessionActions& actions,
                  std::set<store::SessionId> paused = {}, QWidget* parent = nullptr);

 private:
  void look();
  void resume_all();
  void dismiss();

  workspace::Workspace& workspace_;
  SessionActions& actions_;
  std::vector<store::SessionId> offered_;
  std::set<store::SessionId> answered_;
  std::set<store::SessionId> paused_;
};

}  // namespace kernelscape::frame
