#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/session_model.h"
#include "ui/widgets/word_filter.h"
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

  /** In the order of the table. */
  std::vector<SessionEntry> selected() const;
  bool can_undo_delete() const { return !deleted_.empty(); }
  bool measuring_again() const { return measuring_.busy(); }

  void focus_search();
  void rename_selected();
  /** Into the trash; a bar offers to take it back. */
  void delete_selected();
  void undo_delete();
  /** The two selected ones. */
  void show_side_by_side();
  void measure_selected_again();

 signals:
  void selection_changed();
  void undo_changed();
  void session_opened(kernelscape::SessionId id);
  /** From the empty state: there is no session yet. */
  void new_run_requested();

 private:
  QWidget* make_middle();
  void make_bars();
  void update_selection();
  void update_shown();
  void tell_measured(SessionId id, bool measured);

  Workspace& workspace_;
  SessionModel model_;
  WordFilter filter_;
  MeasuringAgain measuring_;
  std::vector<std::vector<SessionId>> deleted_;  ///< what was deleted together, the last at the end
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
