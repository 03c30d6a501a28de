#pragma once

#include <QStringList>
#include <QTableView>
#include <string>
#include <vector>

#include "core/analysis/curve.h"
#include "ui/models/trial_table_model.h"

class QMenu;

namespace kernelscape {

/**
 * The table of trials. Rows have one height, so that a million scroll like ten. The current trial and the
 * selected set are the workspace's: a click makes a trial current, Ctrl and Shift change the set. New trials
 * never move the row under the eye unless `following()`.
 *
 * Keys: J/K next and previous trial, B the best one, F follow, Home and End, Space takes the current trial
 * into the set or out of it, Ctrl+A selects what is shown, Ctrl+C copies.
 */
class TrialTableView : public QTableView {
  Q_OBJECT

 public:
  explicit TrialTableView(Workspace& workspace, QWidget* parent = nullptr);

  TrialTableModel& trials() { return model_; }  ///< rows as filtered and sorted

  /** Names of TrialColumns, in the order in which they stand. */
  QStringList visible_columns() const;
  /** Names that the source does not have are left out; empty: the usual columns. */
  void set_visible_columns(const QStringList& names);
  /** A check box per column, grouped by what was measured and the knobs. */
  void fill_column_menu(QMenu& menu);

  bool following() const { return following_; }  ///< stays at the newest trials

  /** Does nothing: letters are keys of their own, and a search would walk a million rows. */
  void keyboardSearch(const QString&) override {}

 public slots:
  /** Down by one position of the table. */
  void next_trial() { step(1); }
  /** Up by one position of the table. */
  void previous_trial() { step(-1); }
  /** At the top of the table as sorted. */
  void first_trial();
  /** At the bottom of the table as sorted. */
  void last_trial();
  /** The best of the source, shown or not; ends following. Says so where no trial is valid. */
  void best_trial();
  /** Stays at the newest trials; of another order than that of arrival, at its top. */
  void set_following(bool following);
  /** The set becomes exactly the trials that pass the filters. */
  void select_shown();
  /** Empties the set; the current trial stays. */
  void clear_selection();
  /** The selected trials that are shown, else the current one, as text with tabs: C locale, with header. */
  void copy_rows();
  /** Asks to show the two selected trials beside each other, else the current one and the best; says what to
   * choose where there are no two. */
  void compare_chosen();

 signals:
  /** By the user: columns were shown, hidden or moved. */
  void visible_columns_changed();
  /** By key or button, or because the table was scrolled or another trial was made current. */
  void following_changed(bool following);
  /** From the context menu. @param row of the current source */
  void measure_requested(qint64 row);
  /** Two trials are to be shown beside each other. Rows of the current source. */
  void pair_requested(qint64 row_a, qint64 row_b);
  /** Something to tell in passing: copied, no valid trial yet. */
  void notified(const QString& text);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  /** A trial that keeps its place on the screen while positions change. */
  struct Anchor {
    std::int64_t row = no_row;
    int offset = 0;  ///< in rows, from the top
  };

  void set_up_header();
  void apply_row_height();
  void apply_columns();
  int width_of(std::size_t column) const;
  void set_column_shown(const QString& name, bool shown);
  void show_order();

  void remember_anchor();
  void restore_anchor();
  void scroll_to_followed();
  void show_current(bool scroll);

  void step(int positions);
  void go_to(int position);
  bool own_key(const QKeyEvent& event);
  void select_range_to(std::int64_t row);
  void toggle(std::int64_t row);
  RowSet grown_selection() const;
  int first_visible_column() const;
  QString state_text() const;

  void add_selection_actions(QMenu& menu, std::int64_t row);
  void add_filter_actions(QMenu& menu, const QModelIndex& index);
  void add_pair_actions(QMenu& menu, std::int64_t row);
  void add_copy_actions(QMenu& menu, std::int64_t row);
  void add_filter_action(QMenu& menu, const std::string& filter);
  void copy_text(const QString& text, const QString& told);
  std::vector<std::int64_t> rows_to_copy() const;

  Workspace& workspace_;
  TrialTableModel model_;
  JobTracker copy_job_;
  QStringList wanted_columns_;
  Anchor anchor_;
  std::int64_t range_start_ = no_row;  ///< where Shift selects from
  bool following_ = false;
  bool syncing_ = false;   ///< with the workspace or the model
  bool changing_ = false;  ///< positions, between remembering and restoring the anchor
};

}  // namespace kernelscape
