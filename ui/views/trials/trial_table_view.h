#pragma once

#include <QStringList>
#include <QTableView>

#include "core/analysis/curve.h"
#include "ui/models/trial_table_model.h"
#include "ui/views/trials/trial_selection.h"

class QMenu;

namespace kernelscape::views {

class TrialClipboard;
class TrialTableColumns;

/**
 * The table of trials. All rows have the same height, so that a million rows scroll as fast as ten. The
 * current trial and the selection belong to the workspace: a click makes a trial current, Ctrl and Shift
 * change the selection. New trials do not move the visible rows unless `following()`.
 * Keys: J/K next and previous trial, B the best trial, F follow, Home and End, Space adds the current trial
 * to the selection or removes it, Ctrl+A selects all shown trials, Ctrl+C copies.
 */
class TrialTableView : public QTableView {
  Q_OBJECT

 public:
  explicit TrialTableView(workspace::Workspace& workspace, QWidget* parent = nullptr);

  models::TrialTableModel& trials() { return model_; }  ///< rows as filtered and sorted

  /** Returns the names of the visible TrialColumns, in their order. */
  QStringList visible_columns() const;
  /** Sets the visible columns. Names that the source does not have are left out; empty: the usual columns. */
  void set_visible_columns(const QStringList& names);
  /** Fills a menu with a check box per column, grouped into measured columns and knobs. */
  void fill_column_menu(QMenu& menu);

  /** Sets whether the context menu offers to measure a configuration; true initially. */
  void set_measurable(bool measurable) { measurable_ = measurable; }

  /** Returns the text in an empty table: why there are no rows, and what to do; empty if there are rows. */
  QString state_text() const;

  bool following() const { return following_; }  ///< the view stays at the newest trials

  /** Does nothing: letters are shortcuts, and a search would visit a million rows. */
  void keyboardSearch(const QString&) override {}

 public slots:
  /** Moves the current trial down by one position of the table. */
  void next_trial() { step(1); }
  /** Moves the current trial up by one position of the table. */
  void previous_trial() { step(-1); }
  /** Makes the trial at the top of the sorted table current. */
  void first_trial();
  /** Makes the trial at the bottom of the sorted table current. */
  void last_trial();
  /**
   * Makes the best trial of the source current, whether it is shown or not; ends following. Reports it if no
   * trial is valid.
   */
  void best_trial();
  /** Sets whether the view stays at the newest trials; in another order than that of arrival, at its top. */
  void set_following(bool following);
  /** Selects exactly the trials that pass the filters. */
  void select_shown();
  /** Clears the selection; the current trial stays. */
  void clear_selection();
  /**
   * Copies the selected trials that are shown, else the current trial, as tab-separated text in the C locale,
   * with a header.
   */
  void copy_rows();
  /**
   * Requests the side-by-side view of the two selected trials, else of the current trial and the best.
   * Reports what to select if there are no two trials.
   */
  void compare_chosen();

 signals:
  /** Emitted when the user showed, hid or moved columns. */
  void visible_columns_changed();
  /**
   * Emitted when following changed by key or button, or because the table was scrolled or another trial was
   * made current.
   */
  void following_changed(bool following);
  /** Emitted from the context menu. @param row of the current source */
  void measure_requested(qint64 row);
  /** Emitted to show two trials side by side; the arguments are rows of the current source. */
  void pair_requested(qint64 row_a, qint64 row_b);
  /** Emitted with a message for the notice bar: copied, no valid trial yet. */
  void notified(const QString& text);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  /** A trial that keeps its place on the screen while row positions change. */
  struct Anchor {
    std::int64_t row = analysis::no_row;
    int offset = 0;  ///< in rows, from the top
  };

  void apply_row_height();

  void remember_anchor();
  void restore_anchor();
  void scroll_to_followed();
  void show_current(bool scroll);

  void step(int positions);
  void go_to(int position);
  bool own_key(const QKeyEvent& event);
  bool passes_filters(std::int64_t row) const;

  workspace::Workspace& workspace_;
  models::TrialTableModel model_;
  TrialSelection selection_;
  TrialClipboard* clipboard_;
  TrialTableColumns* columns_ = nullptr;
  Anchor anchor_;
  std::int64_t range_start_ = analysis::no_row;  ///< start of a selection with Shift
  bool following_ = false;
  bool measurable_ = true;
  bool syncing_ = false;   ///< synchronising with the workspace or the model
  bool changing_ = false;  ///< row positions are changing, between remembering and restoring the anchor
};

}  // namespace kernelscape::views
