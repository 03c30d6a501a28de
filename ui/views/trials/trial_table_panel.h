#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QHBoxLayout;
class QToolButton;

namespace kernelscape::views {

class FilterBar;
class TrialTableView;

/**
 * Shows the trials of the current source: filter bar, buttons (follow, columns, export) and the table.
 * Current trial, selection and filters are synchronised with the workspace in both directions.
 */
class TrialTablePanel : public QWidget {
  Q_OBJECT

 public:
  explicit TrialTablePanel(workspace::Workspace& workspace, QWidget* parent = nullptr);

  FilterBar& filter_bar() { return *filter_bar_; }  ///< the chips above the table
  TrialTableView& view() { return *view_; }         ///< the table itself

  /** Returns the names of the visible TrialColumns, in their order. */
  QStringList visible_columns() const;
  /**
   * Sets the visible columns. Names that this source does not have are left out; empty: the usual columns.
   */
  void set_visible_columns(const QStringList& names);

  /**
   * Shows only the selected trials, which a check box changes, for a view with its own filter bar that
   * measures nothing.
   */
  void show_selection();

  /** Asks for a file and writes the shown rows and columns, in their order, as CSV or JSON. */
  void export_shown();

 signals:
  /** Emitted when the user changed the columns, which are then stored for this space's knobs. */
  void visible_columns_changed();
  /** Emitted by "Measure this configuration", with a row of the current source. */
  void measure_requested(qint64 row);
  /** Emitted with a message for the notice bar: copied, exported. */
  void notified(const QString& text);

 private:
  QToolButton* make_button(const QString& icon_name, const QString& name, const QString& help);
  void write_export(const QString& path, bool force);

  workspace::Workspace& workspace_;
  FilterBar* filter_bar_ = nullptr;
  TrialTableView* view_ = nullptr;
  QHBoxLayout* line_ = nullptr;  ///< above the table
  QToolButton* follow_ = nullptr;
  workspace::JobTracker export_job_;
};

}  // namespace kernelscape::views
