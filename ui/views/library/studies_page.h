#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/models/study_model.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::widgets {
class ActionBar;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class SearchedTable;

/**
 * Lists all studies of the database: search, name, tags and notes edited in place, deletion with undo. Reads
 * them in the background while the page is shown.
 */
class StudiesPage : public QWidget {
  Q_OBJECT

 public:
  explicit StudiesPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Sets the actions of the buttons above the table and of its context menu. */
  void set_actions(const QList<QAction*>& actions);
  /** Returns the selected studies in the order of the table. */
  std::vector<store::StudySummary> selected() const;
  /** Returns true if a study was deleted here and not restored yet. */
  bool can_undo_delete() const { return !deleted_.empty(); }
  /** Moves the keyboard focus to the search. */
  void focus_search();
  /** Edits name, tags or note in place: the current column if it is one of them, else the name. */
  void edit_selected();
  /** Moves the selected studies to the trash; a bar offers to undo it. */
  void delete_selected();
  /** Restores the study deleted last; called again, the study deleted before that. */
  void undo_delete();

 signals:
  /** Emitted when the selection changed, or the studies were read again. */
  void selection_changed();
  /** Emitted when a row was double-clicked, or Enter pressed on it. */
  void study_opened(const kernelscape::store::StudySummary& study);
  /** Emitted by the button of the empty state. */
  void compare_requested();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void load();
  void write_edit(store::StudyId id, int column, const QString& text);
  void update_shown();

  workspace::Workspace& workspace_;
  workspace::JobTracker job_;
  QTimer refresh_;
  models::StudyModel model_;
  std::vector<store::StudyId> deleted_;  ///< the last deleted at the end
  SearchedTable* table_;
  widgets::ActionBar* undo_bar_;
};

}  // namespace kernelscape::views
