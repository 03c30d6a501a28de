#pragma once

#include <optional>

#include "ui/frame/notices/information_bar.h"
#include "ui/frame/sessions/session_actions.h"

namespace kernelscape {

/** Says which session was deleted from a list of the frame, and brings it back. */
class DeletionBar : public InformationBar {
  Q_OBJECT

 public:
  /** Hidden until a session is deleted; dismissed, the session can be brought back no more. */
  explicit DeletionBar(SessionActions& actions, QWidget* parent = nullptr);

 private:
  void tell(SessionId id, const QString& title);
  void undo();

  SessionActions& actions_;
  std::optional<SessionId> deleted_;
};

}  // namespace kernelscape
