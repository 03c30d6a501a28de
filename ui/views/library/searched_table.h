#pragma once

#include <QWidget>
#include <vector>

#include "ui/widgets/word_filter.h"

class QAction;
class QStackedWidget;

namespace kernelscape::widgets {
class EmptyState;
class LibraryTable;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class PageHead;

/** The texts shown in place of an empty table. */
struct EmptyText {
  QString headline;
  QString text;
  QString action;  ///< text of the button; empty: no button
};

/** A table of a model's rows with a search field above it. If no row matches, it shows why. */
class SearchedTable : public QWidget {
  Q_OBJECT

 public:
  /** The texts that name the rows. */
  struct Texts {
    QString name;         ///< name of the table: "Best kernels"
    QString rows;         ///< "kernels"
    QString search_hint;  ///< hint in the empty search field
    QString no_match;     ///< headline if no row matches: "No kernel matches"
    QString searched;     ///< the text below the headline; %1 are the words
  };

  /** Makes the table. @param sort_role as in WordFilter @param sorted_by the initial sort column */
  SearchedTable(QAbstractItemModel& model, widgets::WordFilter::TextOfRow text_of_row, int sort_role,
                Texts texts, int sorted_by, Qt::SortOrder order);

  /** Sets the actions of the buttons above the table and of its context menu. */
  void set_actions(const QList<QAction*>& bar, const QList<QAction*>& menu);
  /** Moves the keyboard focus to the search. */
  void focus_search();
  /** Returns the selected rows of the model, in the order of the table. */
  std::vector<int> selected_rows() const;
  /**
   * Edits the current column of the only selected row in place, or `usual_column` if the current column can't
   * be edited.
   */
  void edit_selected(int usual_column);
  widgets::LibraryTable& table() { return *table_; }  ///< for its style

  /**
   * Updates the page for the current rows.
   * @param count "12 studies", shown while nothing is searched
   * @param empty shown if there are no rows
   * @param readable false: `empty` explains the failure, and is shown whatever rows there are
   */
  void show_rows(const QString& count, const EmptyText& empty, bool readable = true);

 signals:
  /** Emitted when the selection changed. */
  void rows_selected();
  /** Emitted on Enter or a double click. @param row of the model */
  void row_opened(int row);
  /** Emitted when the button of the empty state was clicked. */
  void action_triggered();

 private:
  void update_shown();

  Texts texts_;
  widgets::WordFilter filter_;
  QString count_;
  EmptyText none_;
  bool readable_ = true;
  PageHead* head_;
  QStackedWidget* stack_;
  widgets::LibraryTable* table_;
  widgets::EmptyState* empty_;
};

}  // namespace kernelscape::views
