#pragma once

#include <QDockWidget>
#include <functional>

#include "ui/frame/sessions/session_actions.h"
#include "ui/models/session_model.h"

class QLabel;
class QLineEdit;
class QListView;
class QMenu;

namespace kernelscape::frame {

/**
 * Lists the running, queued and recent sessions of the database, of this and of other processes, with a
 * search field. A collection is one row that expands to its sessions.
 */
class SessionDock : public QDockWidget {
  Q_OBJECT

 public:
  SessionDock(workspace::Workspace& workspace, SessionActions& actions, QWidget* parent = nullptr);

  QListView& list() {
    return *list_;
  }  ///< one row per session that is in no collection, and per
     ///< collection
  QLineEdit& search() { return *search_; }  ///< words that a session must contain to be shown
  /** Opens a dialog, not modal, that asks for a new name of a session. */
  void ask_name(store::SessionId id);

 protected:
  /** Handles Enter, Left and Right on the row of a collection. */
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void add_resume(QMenu& menu, const workspace::SessionEntry& session);
  void add_taking_home(QMenu& menu, const workspace::SessionEntry& session);
  void show_menu(const QModelIndex& index, const QPoint& position);
  void show_collection_menu(const workspace::SessionCollection& collection, const QPoint& position);
  void ask_collection_name(const workspace::SessionCollection& collection);
  void ask_text(const QString& title, const QString& text, std::function<void(const QString&)> take);
  void open_row(const QModelIndex& index);
  void show_collection(store::StudyId id);
  void update_state();
  store::SessionId id_of(const QModelIndex& index) const;

  workspace::Workspace& workspace_;
  SessionActions& actions_;
  models::SessionModel model_;
  QLineEdit* search_;
  QListView* list_;
  QLabel* empty_;
};

}  // namespace kernelscape::frame
