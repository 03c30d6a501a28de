#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/models/study_model.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

class ActionBar;
class SearchedTable;

/** All studies of the database: search, rename, tags and notes in place, delete with undo. Read in the
 * background while it is shown. */
class StudiesPage : public QWidget {
  Q_OBJECT

 public:
  explicit StudiesPage(Workspace& workspace, QWidget* parent = nullptr);

  /** For the tool bar and the table's context menu. */
  void set_actions(const QList<QAction*>& actions);
  /** In the order of the table. */
  std::vector<StudySummary> selected() const;
  /** A study deleted here has not been brought back yet. */
  bool can_undo_delete() const { return !deleted_.empty(); }
  /** The keyboard goes to the search. */
  void focus_search();
  /** Name, tags or note in place: that of the current column, else the name. */
  void edit_selected();
  /** Into the trash; a bar offers to take it back. */
  void delete_selected();
  /** Brings back the study deleted last; again: the one before. */
  void undo_delete();

 signals:
  /** Other rows are selected, or the studies were read again. */
  void selection_changed();
  /** A row was double-clicked, or Enter pressed on it. */
  void study_opened(const kernelscape::StudySummary& study);
  /** From the empty state. */
  void compare_requested();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void load();
  void write_edit(StudyId id, int column, const QString& text);
  void update_shown();

  Workspace& workspace_;
  JobTracker job_;
  QTimer refresh_;
  StudyModel model_;
  std::vector<StudyId> deleted_;  ///< the last at the end
  SearchedTable* table_;
  ActionBar* undo_bar_;
};

}  // namespace kernelscape
