#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QToolButton;

namespace kernelscape {

class FilterBar;
class TrialTableView;

/**
 * The trials of the current source: filter bar, buttons (follow, columns, export) and the table. Current
 * trial, selected set and filters are the workspace's, both ways.
 */
class TrialTablePanel : public QWidget {
  Q_OBJECT

 public:
  explicit TrialTablePanel(Workspace& workspace, QWidget* parent = nullptr);

  FilterBar& filter_bar() { return *filter_bar_; }  ///< the chips above the table
  TrialTableView& view() { return *view_; }         ///< the table itself

  /** Names of TrialColumns, in the order in which they stand. */
  QStringList visible_columns() const;
  /** Names that this source does not have are left out; empty: the usual ones. */
  void set_visible_columns(const QStringList& names);

  /** Asks for a file and writes the rows and columns that are shown, in their order, as CSV or JSON. */
  void export_shown();

 signals:
  /** By the user: to be remembered for this space's knobs. */
  void visible_columns_changed();
  /** "Measure this configuration": a row of the current source. */
  void measure_requested(qint64 row);
  /** Something to tell in passing: copied, exported. */
  void notified(const QString& text);

 private:
  QToolButton* make_button(const QString& icon_name, const QString& name, const QString& help);
  void write_export(const QString& path, bool force);

  Workspace& workspace_;
  FilterBar* filter_bar_ = nullptr;
  TrialTableView* view_ = nullptr;
  QToolButton* follow_ = nullptr;
  JobTracker export_job_;
};

}  // namespace kernelscape
