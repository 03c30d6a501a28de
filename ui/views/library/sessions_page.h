#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/session_model.h"
#include "ui/models/session_order.h"
#include "ui/workspace/measuring_again.h"
#include "ui/workspace/workspace.h"

class QSplitter;
class QStackedWidget;

namespace kernelscape {

class ActionBar;
class ComparisonPanel;
class EmptyState;
class LibraryTable;
class PageHead;
class SessionPanel;

/** All sessions of the database: search, details with name, tags and note, two side by side, delete with
 * undo. */
class SessionsPage : public QWidget {
  Q_OBJECT

 public:
  SessionsPage(Workspace& workspace, Remeasure remeasure, QWidget* parent = nullptr);

  /** Stand in the tool bar and, all of them, in the table's context menu; null: a separator. */
  void set_actions(const QList<QAction*>& tool_bar, const QList<QAction*>& context_menu);

  /** Sessions in the order of the table; collections are none. */
  std::vector<SessionEntry> selected() const;
  /** Collections in the order of the table. */
  std::vector<StudyId> selected_collections() const;
  /** Something deleted here has not been brought back yet. */
  bool can_undo_delete() const { return !deleted_.empty(); }
  /** A job measures the best of a session again. */
  bool measuring_again() const { return measuring_.busy(); }

  /** The keyboard goes to the search. */
  void focus_search();
  /** The keyboard goes to the name in the panel. */
  void rename_selected();
  /** Into the trash; a bar offers to take it back. */
  void delete_selected();
  /** Brings back what was deleted together last; again: what was before. */
  void undo_delete();
  /** The two selected ones. */
  void show_side_by_side();
  /**
   * The best, and the current trial where it is valid. Does nothing unless one session is selected and none
   * is being measured.
   */
  void measure_selected_again();

 signals:
  /** Other sessions are selected, those selected changed, or measuring again began or ended. */
  void selection_changed();
  /** `can_undo_delete` may have changed. */
  void undo_changed();
  /** A row was double-clicked, or Enter pressed on it. */
  void session_opened(kernelscape::SessionId id);
  /** From the empty state: there is no session yet. */
  void new_run_requested();

 private:
  /** What was deleted together. */
  struct Deleted {
    std::vector<SessionId> sessions;
    std::vector<StudyId> collections;

    bool empty() const { return sessions.empty() && collections.empty(); }
  };

  QWidget* make_middle();
  std::vector<SessionCollection> chosen_collections() const;
  void open_row(int row);
  void close_deleted(const Deleted& deleted);
  void make_bars();
  void update_selection();
  void update_shown();
  void tell_measured(SessionId id, bool measured);

  Workspace& workspace_;
  SessionModel model_;
  SessionOrder order_;
  MeasuringAgain measuring_;
  std::vector<Deleted> deleted_;  ///< what was deleted together, the last at the end
  PageHead* head_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  LibraryTable* table_ = nullptr;
  EmptyState* empty_ = nullptr;
  SessionPanel* panel_ = nullptr;
  ComparisonPanel* comparison_ = nullptr;
  QSplitter* halves_ = nullptr;
  ActionBar* undo_bar_ = nullptr;
  ActionBar* measuring_bar_ = nullptr;
};

}  // namespace kernelscape
