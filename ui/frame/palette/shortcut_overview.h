#pragma once

#include <QDialog>

#include "ui/views/action_registry.h"

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kernelscape {

/** All actions with their shortcuts: searched, and given others. Not modal. */
class ShortcutOverview : public QDialog {
  Q_OBJECT

 public:
  explicit ShortcutOverview(ActionRegistry& actions, QWidget* parent = nullptr);

  QLineEdit& search() { return *search_; }  ///< words that actions in the list must contain
  /** One row per action; the current one can be given another shortcut. */
  QTreeWidget& list() { return *list_; }
  QKeySequenceEdit& editor() { return *editor_; }  ///< where the new shortcut is pressed
  /** What became of the last change; empty: nothing to say. */
  QString message() const;

 private:
  void make_widgets();
  void fill();
  void filter();
  void show_current();
  void assign(const QKeySequence& shortcut);
  QString current_id() const;

  ActionRegistry& actions_;
  QLineEdit* search_;
  QTreeWidget* list_;
  QKeySequenceEdit* editor_;
  QPushButton* assign_;
  QPushButton* clear_;
  QPushButton* default_;
  QLabel* message_;
};

}  // namespace kernelscape
