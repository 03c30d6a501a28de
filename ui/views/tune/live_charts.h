#pragma once

#include <QWidget>
#include <vector>

#include "core/analysis/error_breakdown.h"
#include "core/trial/measurement.h"
#include "ui/charts/curves/passing_rows.h"
#include "ui/workspace/workspace.h"

class QSplitter;
class QTabBar;
class QToolButton;

namespace kernelscape::charts {
class Chart;
class ErrorChart;
class ProgressChart;
class TimeChart;
}  // namespace kernelscape::charts

namespace kernelscape::figures {
struct Kind;
}  // namespace kernelscape::figures

namespace kernelscape::views {

class SeriesPanel;

/**
 * Shows the charts of the current source: best so far over every trial, predictions and other numbers that
 * the tuner reported, and below them the other figures of figures::Place::Tune: errors by count and time,
 * time breakdown. Linked with the workspace's current trial, selection and filters. A double click on a chart
 * maximises it. If not all charts fit, they are shown one at a time.
 */
class LiveCharts : public QWidget {
  Q_OBJECT

 public:
  explicit LiveCharts(workspace::Workspace& workspace, QWidget* parent = nullptr);

  charts::ProgressChart& progress() { return *progress_; }  ///< best so far, over trials or session time
  charts::ErrorChart& errors();                             ///< errors by count and time
  charts::TimeChart& time();                                ///< time breakdown
  SeriesPanel& series() { return *series_; }                ///< numbers that the tuner and its model reported

  /** Sets whether the main chart shows all trials, with a speed axis from zero. */
  void set_show_all(bool show_all);
  bool show_all() const;  ///< false initially

  /** Returns the size in pixels that all charts with content need side by side and below each other. */
  QSize needed_size() const;
  /** Sets whether charts are shown one at a time, chosen by tabs. */
  void set_compact(bool compact);
  bool compact() const { return compact_; }  ///< false initially
  QTabBar& tabs() { return *tabs_; }         ///< shown while the charts are compact
  QSize minimumSizeHint() const override;

 signals:
  /** Emitted when `needed_size` may have changed. */
  void needs_changed();
  /** Emitted with a message of a chart for the notice bar. */
  void notified(const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /** A chart below the progress chart. */
  struct Below {
    const figures::Kind* kind = nullptr;
    charts::Chart* chart = nullptr;
    bool empty = false;  ///< has no content, so it is hidden
  };

  std::vector<Below> make_charts();
  void lay_out();
  void make_axis_buttons();
  void connect_charts();
  void select_rows(const std::vector<qint64>& rows);
  void filter_to(trial::ErrorCategory category);
  void show_source();
  void update_progress(const workspace::SourceData& source);
  void update_below(const workspace::Source& source);
  void mark_current_row();
  void mark_selection();
  void fit_charts(const analysis::ErrorBreakdown& errors, bool machine_speed);
  void show_state();
  void toggle_maximised(QWidget* place);
  void make_tabs();
  QSize min_size_of(const QWidget& place) const;
  bool shows_nothing(const QWidget* place) const;
  void arrange();
  void show_axis_buttons();

  workspace::Workspace& workspace_;
  charts::ProgressChart* progress_ = nullptr;
  std::vector<Below> below_;
  QSplitter* rows_ = nullptr;
  QSplitter* lower_ = nullptr;
  QSplitter* upper_ = nullptr;
  QWidget* progress_box_ = nullptr;  ///< the progress chart below its buttons
  SeriesPanel* series_ = nullptr;
  QWidget* maximised_ = nullptr;  ///< the maximised chart; null: none
  std::vector<QWidget*> places_;  ///< by tab
  QTabBar* tabs_ = nullptr;
  bool compact_ = false;
  QToolButton* trials_button_ = nullptr;
  QToolButton* seconds_button_ = nullptr;
  QToolButton* logarithmic_ = nullptr;
  QToolButton* milliseconds_ = nullptr;
  QToolButton* show_all_ = nullptr;
  QToolButton* follow_ = nullptr;
  charts::PassingRows passing_;
  bool stale_ = false;
};

}  // namespace kernelscape::views
