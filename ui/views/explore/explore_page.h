#pragma once

#include <QWidget>
#include <initializer_list>

#include "ui/figures/shown_trials.h"
#include "ui/workspace/workspace.h"

class QAbstractItemModel;
class QTableView;

namespace kernelscape {

class Chart;

/** Values of a column in [low, high], or in [low, high) where it is not closed. */
struct PickedRange {
  std::size_t column = 0;
  double low = 0;
  double high = 0;
  bool closed = true;

  /** Never for NaN. */
  bool holds(double value) const { return value >= low && (value < high || (closed && value == high)); }
};

/**
 * A page of Explore. It computes in background jobs, only while it is visible; what changed meanwhile is
 * followed when it is shown. New trials of a running session wait for the job that works on older ones.
 */
class ExplorePage : public QWidget {
  Q_OBJECT

 public:
  ExplorePage(Workspace& workspace, const QString& name, QWidget* parent = nullptr);

  /** Null: nothing to show. */
  void set_shown(const Shown& shown);
  /** Returns true if the page shows something about these trials, and not only why it cannot. Cheap: it is
   * asked in the window's thread. */
  virtual bool has_content(const ShownTrials& shown) = 0;
  /** The workspace's selection changed. */
  virtual void follow_selection() { refresh(); }
  /** The workspace's current row changed. */
  void follow_current() {
    if (shown_) show_current();
  }

 signals:
  /** Trials were picked in a chart. @param filters expressions that they, and no others shown, pass; empty:
   * not known */
  void rows_picked(const kernelscape::RowSet& rows, const QStringList& filters);
  /** Something to tell in passing, from a chart of the page. */
  void notified(const QString& text);

 protected:
  /** Starts the jobs for `shown()`, with the workspace's selection. */
  virtual void compute() = 0;
  /** Marks the workspace's current row; not called while nothing is shown. */
  virtual void show_current() = 0;
  /** The source is another one, or none: gives up jobs and what they brought home. */
  virtual void forget() {}

  const Shown& shown() const { return shown_; }  ///< null: nothing to show
  Workspace& workspace() { return workspace_; }  ///< alive as long as the page
  JobTracker& jobs() { return jobs_; }           ///< those of `compute`; a new job replaces the one that runs
  /** Computes now, or when the page is shown. */
  void refresh();
  /** As `refresh`, but lets a job that runs finish first: what changes all the time is shown all the same. */
  void refresh_after_job();
  /** The current row's value of a column; none without one. */
  std::optional<double> current_value(std::size_t column) const;
  /** Picks the shown rows for which `belongs(row)`. */
  template <typename Belongs>
  void pick(const Belongs& belongs, const QStringList& filters) {
    RowSet rows(shown_->source->trials.size());
    for (const std::int64_t row : shown_->rows)
      if (belongs(row)) rows.set(row);
    emit rows_picked(rows, filters);
  }

  /** Picks the shown rows whose values lie in all of the ranges. */
  void pick_ranges(const std::vector<PickedRange>& ranges);

  /** A chart below its controls (may be empty). Double click on it hides the page's other panels. */
  QWidget* make_panel(const QList<QWidget*>& controls, Chart* chart);
  /** @param widths of the columns, in digits; the last one takes what is left */
  QTableView* make_table(const QString& name, QAbstractItemModel* model, std::initializer_list<int> widths);
  void showEvent(QShowEvent* event) override;

 private:
  void toggle_maximised(QWidget* panel);

  Workspace& workspace_;
  JobTracker jobs_;
  Shown shown_;
  bool stale_ = false;
  QList<QWidget*> panels_;
  QList<Chart*> charts_;
};

}  // namespace kernelscape
