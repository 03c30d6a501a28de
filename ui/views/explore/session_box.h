#pragma once

#include <QComboBox>

#include "ui/models/session_model.h"

class QFrame;
class QLineEdit;
class QListView;

namespace kernelscape::views {

/**
 * Chooses a session of the database. The list has a search, and a collection is one row that expands to its
 * sessions. Shows the workspace's current session.
 */
class SessionBox : public QComboBox {
  Q_OBJECT

 public:
  explicit SessionBox(workspace::Workspace& workspace, QWidget* parent = nullptr);

  QLineEdit& search() { return *search_; }             ///< above the list
  QListView& list() { return *list_; }                 ///< the list that showPopup() shows
  models::SessionModel& sessions() { return model_; }  ///< the rows of the box and its list

  void showPopup() override;
  void hidePopup() override;

 signals:
  /** Emitted when a session is chosen from the list, or with the keys that step through the closed box. */
  void session_chosen(kernelscape::store::SessionId session);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  /** Forwards the keys of the list that are pressed in the search. */
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_popup();
  void show_current();
  void choose(const QModelIndex& index);
  QString current_title() const;

  workspace::Workspace& workspace_;
  models::SessionModel model_;
  QFrame* popup_ = nullptr;
  QLineEdit* search_ = nullptr;
  QListView* list_ = nullptr;
};

}  // namespace kernelscape::views
