#pragma once

#include <QDialog>

#include "ui/views/action_registry.h"

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kernelscape::frame {

/** Lists all actions with their shortcuts; the user can search the list and reassign shortcuts. Not modal. */
class ShortcutOverview : public QDialog {
  Q_OBJECT

 public:
  explicit ShortcutOverview(views::ActionRegistry& actions, QWidget* parent = nullptr);

  QLineEdit& search() { return *search_; }  ///< words that actions in the list must contain
  /** Returns the list, one row per action; the shortcut of the current row can be reassigned. */
  QTreeWidget& list() { return *list_; }
  QKeySequenceEdit& editor() { return *editor_; }  ///< input field that records the new shortcut
  /** Returns the result of the last change; empty if there is nothing to report. */
  QString message() const;

 private:
  void make_widgets();
  void fill();
  void filter();
  void show_current();
  void assign(const QKeySequence& shortcut);
  QString current_id() const;

  views::ActionRegistry& actions_;
  QLineEdit* search_;
  QTreeWidget* list_;
  QKeySequenceEdit* editor_;
  QPushButton* assign_;
  QPushButton* clear_;
  QPushButton* default_;
  QLabel* message_;
};

}  // namespace kernelscape::frame
