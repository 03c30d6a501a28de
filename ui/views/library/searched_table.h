#pragma once

#include <QWidget>
#include <vector>

#include "ui/widgets/word_filter.h"

class QAction;
class QStackedWidget;

namespace kernelscape {

class EmptyState;
class LibraryTable;
class PageHead;

/** What stands where a table would be empty. */
struct EmptyText {
  QString headline;
  QString text;
  QString action;  ///< of the button; empty: no button
};

/** Rows of a model below the words that are searched in them; where none is left, why. */
class SearchedTable : public QWidget {
  Q_OBJECT

 public:
  /** How it speaks of its rows. */
  struct Texts {
    QString name;         ///< of the table: "Best kernels"
    QString rows;         ///< "kernels"
    QString search_hint;  ///< in the empty entry
    QString no_match;     ///< the headline where a search leaves nothing: "No kernel matches"
    QString searched;     ///< the text below it; %1 are the words
  };

  /** @param sort_role as WordFilter has it @param sorted_by the column by which it is sorted at first */
  SearchedTable(QAbstractItemModel& model, WordFilter::TextOfRow text_of_row, int sort_role, Texts texts,
                int sorted_by, Qt::SortOrder order);

  /** For the tool bar and the table's context menu. */
  void set_actions(const QList<QAction*>& bar, const QList<QAction*>& menu);
  /** The keyboard goes to the search. */
  void focus_search();
  /** Of the model, in the order of the table. */
  std::vector<int> selected_rows() const;
  /** The current column of a row that is selected alone in place, or this one where that can't be edited. */
  void edit_selected(int usual_column);
  LibraryTable& table() { return *table_; }  ///< for its looks

  /**
   * The rows that there are now.
   * @param count "12 studies", of all, where nothing is searched
   * @param empty where there is none at all
   * @param readable false: `empty` says why, and stands there whatever there is
   */
  void show_rows(const QString& count, const EmptyText& empty, bool readable = true);

 signals:
  /** Other rows are selected. */
  void rows_selected();
  /** Enter or a double click. @param row of the model */
  void row_opened(int row);
  /** The button was clicked where there is no row at all. */
  void action_triggered();

 private:
  void update_shown();

  Texts texts_;
  WordFilter filter_;
  QString count_;
  EmptyText none_;
  bool readable_ = true;
  PageHead* head_;
  QStackedWidget* stack_;
  LibraryTable* table_;
  EmptyState* empty_;
};

}  // namespace kernelscape
