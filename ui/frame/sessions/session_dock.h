#pragma once

#include <QDockWidget>

#include "ui/frame/sessions/session_actions.h"
#include "ui/models/session_model.h"

class QLabel;
class QListView;

namespace kernelscape {

/** Running, queued and recent sessions of the database, whoever runs them. */
class SessionDock : public QDockWidget {
  Q_OBJECT

 public:
  SessionDock(Workspace& workspace, SessionActions& actions, QWidget* parent = nullptr);

  QListView& list() { return *list_; }  ///< one row per session of the database
  /** Where a dialog asks for a new name of a session; not modal. */
  void ask_name(SessionId id);

 private:
  void show_menu(const QModelIndex& index, const QPoint& position);
  void update_state();
  SessionId id_of(const QModelIndex& index) const;

  Workspace& workspace_;
  SessionActions& actions_;
  SessionModel model_;
  QListView* list_;
  QLabel* empty_;
};

}  // namespace kernelscape
