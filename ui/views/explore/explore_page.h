#pragma once

#include <QWidget>
#include <initializer_list>

#include "ui/figures/shown_trials.h"
#include "ui/workspace/workspace.h"

class QAbstractItemModel;
class QTableView;

namespace kernelscape::charts {
class Chart;
}  // namespace kernelscape::charts

namespace kernelscape::views {

/** A range of a column's values: [low, high] if closed, else [low, high). */
struct PickedRange {
  std::size_t column = 0;
  double low = 0;
  double high = 0;
  bool closed = true;

  /** Returns true if the value is in the range. Always false for NaN. */
  bool holds(double value) const { return value >= low && (value < high || (closed && value == high)); }
};

/**
 * A page of Explore. It computes in background jobs, only while it is visible; changes that arrive while it
 * is hidden are processed when it is shown. New trials of a running session wait for the job that processes
 * older ones.
 */
class ExplorePage : public QWidget {
  Q_OBJECT

 public:
  ExplorePage(workspace::Workspace& workspace, const QString& name, QWidget* parent = nullptr);

  /** Sets the trials. Null: there is nothing to show. */
  void set_shown(const figures::Shown& shown);
  /**
   * Returns true if the page can show something about these trials, and not only why it cannot. Must be
   * cheap: it is called in the GUI thread.
   */
  virtual bool has_content(const figures::ShownTrials& shown) = 0;
  /** Called when the workspace's selection changed. */
  virtual void follow_selection() { refresh(); }
  /** Called when the workspace's current row changed. */
  void follow_current() {
    if (shown_) show_current();
  }

 signals:
  /**
   * Emitted when trials were picked in a chart.
   * @param filters expressions that exactly these of the shown trials pass; empty: not known
   */
  void rows_picked(const kernelscape::analysis::RowSet& rows, const QStringList& filters);
  /** Emitted with a message of a chart for the notice bar. */
  void notified(const QString& text);

 protected:
  /** Starts the jobs for `shown()`, with the workspace's selection. */
  virtual void compute() = 0;
  /** Marks the workspace's current row; not called while nothing is shown. */
  virtual void show_current() = 0;
  /** Called when the source changed or was closed: cancels the jobs and discards their results. */
  virtual void forget() {}

  const figures::Shown& shown() const { return shown_; }    ///< null: nothing to show
  workspace::Workspace& workspace() { return workspace_; }  ///< lives as long as the page
  workspace::JobTracker& jobs() {
    return jobs_;
  }  ///< the jobs of `compute`; a new job replaces the running one
  /** Computes now if the page is visible, else when it is shown. */
  void refresh();
  /** Like `refresh`, but lets a running job finish first, so that constantly changing data is still shown. */
  void refresh_after_job();
  /** Returns the current row's value of a column; nullopt if there is no current row or value. */
  std::optional<double> current_value(std::size_t column) const;
  /** Picks the shown rows for which `belongs(row)` is true. */
  template <typename Belongs>
  void pick(const Belongs& belongs, const QStringList& filters) {
    analysis::RowSet rows(shown_->source->trials.size());
    for (const std::int64_t row : shown_->rows)
      if (belongs(row)) rows.set(row);
    emit rows_picked(rows, filters);
  }

  /** Picks the shown rows whose values lie in all of the ranges. */
  void pick_ranges(const std::vector<PickedRange>& ranges);

  /**
   * Makes a panel of a chart below its controls, of which there may be none. A double click on the chart
   * hides the page's other panels.
   */
  QWidget* make_panel(const QList<QWidget*>& controls, charts::Chart* chart);
  /** Makes a table. @param widths of the columns, in digits; the last column takes the remaining width */
  QTableView* make_table(const QString& name, QAbstractItemModel* model, std::initializer_list<int> widths);
  void showEvent(QShowEvent* event) override;

 private:
  void toggle_maximised(QWidget* panel);

  workspace::Workspace& workspace_;
  workspace::JobTracker jobs_;
  figures::Shown shown_;
  bool stale_ = false;
  QList<QWidget*> panels_;
  QList<charts::Chart*> charts_;
};

}  // namespace kernelscape::views
