#pragma once

#include <QDockWidget>
#include <functional>

#include "ui/frame/sessions/session_actions.h"
#include "ui/models/session_model.h"

class QLabel;
class QLineEdit;
class QListView;
class QMenu;

namespace kernelscape {

/** Running, queued and recent sessions of the database, whoever runs them, with a search; a collection is one
 * row that opens to its sessions. */
class SessionDock : public QDockWidget {
  Q_OBJECT

 public:
  SessionDock(Workspace& workspace, SessionActions& actions, QWidget* parent = nullptr);

  QListView& list() { return *list_; }      ///< one row per session of the database that is in no collection
  QLineEdit& search() { return *search_; }  ///< the words that shown sessions have
  /** Where a dialog asks for a new name of a session; not modal. */
  void ask_name(SessionId id);

 protected:
  /** Enter, Left and Right on a collection. */
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void add_taking_home(QMenu& menu, const SessionEntry& session);
  void show_menu(const QModelIndex& index, const QPoint& position);
  void show_collection_menu(const SessionCollection& collection, const QPoint& position);
  void ask_collection_name(const SessionCollection& collection);
  void ask_text(const QString& title, const QString& text, std::function<void(const QString&)> take);
  void open_row(const QModelIndex& index);
  void show_collection(StudyId id);
  void update_state();
  SessionId id_of(const QModelIndex& index) const;

  Workspace& workspace_;
  SessionActions& actions_;
  SessionModel model_;
  QLineEdit* search_;
  QListView* list_;
  QLabel* empty_;
};

}  // namespace kernelscape
