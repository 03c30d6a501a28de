#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/session_model.h"
#include "ui/models/session_order.h"
#include "ui/workspace/remeasurement.h"
#include "ui/workspace/workspace.h"

class QSplitter;
class QStackedWidget;

namespace kernelscape::widgets {
class ActionBar;
class EmptyState;
class LibraryTable;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class ComparisonPanel;
class PageHead;
class SessionPanel;

/**
 * Lists all sessions of the database: search, details with name, tags and note, side-by-side comparison of
 * two, deletion with undo.
 */
class SessionsPage : public QWidget {
  Q_OBJECT

 public:
  SessionsPage(workspace::Workspace& workspace, workspace::Remeasure remeasure, QWidget* parent = nullptr);

  /** Sets the actions of the buttons above the table and of its context menu. */
  void set_actions(const QList<QAction*>& tool_bar, const QList<QAction*>& context_menu);

  /** Returns the selected sessions in the order of the table, without collections. */
  std::vector<workspace::SessionEntry> selected() const;
  /** Returns the selected collections in the order of the table. */
  std::vector<store::StudyId> selected_collections() const;
  /** Returns true if sessions were deleted here and not restored yet. */
  bool can_undo_delete() const { return !deleted_.empty(); }
  /** Returns true while a job measures the best trials of a session again. */
  bool measuring_again() const { return measuring_.busy(); }

  /** Moves the keyboard focus to the search. */
  void focus_search();
  /** Moves the keyboard focus to the name in the panel. */
  void rename_selected();
  /** Moves the selected rows to the trash; a bar offers to undo it. */
  void delete_selected();
  /** Restores what was deleted together last; called again, what was deleted before that. */
  void undo_delete();
  /** Shows the two selected sessions side by side. */
  void show_side_by_side();
  /**
   * Measures the best trials again, and the current trial if it is valid. Does nothing unless one session is
   * selected and no such measurement runs.
   */
  void measure_selected_again();

 signals:
  /** Emitted when the selection or a selected session changed, or when a remeasurement began or ended. */
  void selection_changed();
  /** Emitted when `can_undo_delete` may have changed. */
  void undo_changed();
  /** Emitted when a row was double-clicked, or Enter pressed on it. */
  void session_opened(kernelscape::store::SessionId id);
  /** Emitted by the button of the empty state: there is no session yet. */
  void new_run_requested();

 private:
  /** Rows that were deleted together. */
  struct Deleted {
    std::vector<store::SessionId> sessions;
    std::vector<store::StudyId> collections;

    bool empty() const { return sessions.empty() && collections.empty(); }
  };

  QWidget* make_middle();
  std::vector<workspace::SessionCollection> chosen_collections() const;
  void open_row(int row);
  void close_deleted(const Deleted& deleted);
  void make_bars();
  void update_selection();
  void update_shown();
  void notify_measured(store::SessionId id, bool measured, const QString& found);

  workspace::Workspace& workspace_;
  models::SessionModel model_;
  models::SessionOrder order_;
  workspace::MeasuringAgain measuring_;
  std::vector<Deleted> deleted_;  ///< deleted groups, the last at the end
  PageHead* head_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  widgets::LibraryTable* table_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  SessionPanel* panel_ = nullptr;
  ComparisonPanel* comparison_ = nullptr;
  QSplitter* halves_ = nullptr;
  widgets::ActionBar* undo_bar_ = nullptr;
  widgets::ActionBar* measuring_bar_ = nullptr;
};

}  // namespace kernelscape::views
