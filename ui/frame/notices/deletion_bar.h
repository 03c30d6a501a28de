#pragma once

#include <optional>

#include "ui/frame/notices/information_bar.h"
#include "ui/frame/sessions/session_actions.h"

namespace kernelscape::frame {

/** Shows which session was deleted from a list of the main window, and offers to restore it. */
class DeletionBar : public InformationBar {
  Q_OBJECT

 public:
  /**
   * The bar is hidden until a session is deleted. Once the bar is dismissed, the session can no longer be
   * restored.
   */
  explicit DeletionBar(SessionActions& actions, QWidget* parent = nullptr);

 private:
  void notify(store::SessionId id, const QString& title);
  void undo();

  SessionActions& actions_;
  std::optional<store::SessionId> deleted_;
};

}  // namespace kernelscape::frame
