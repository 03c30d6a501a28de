#pragma once

#include <memory>

#include "ui/charts/curves/failure_lanes.h"
#include "ui/charts/curves/point_cloud.h"
#include "ui/charts/curves/progress_scale.h"
#include "ui/charts/landscape/value_sketch.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/trial_chart.h"

namespace kernelscape::charts {

/**
 * Best so far over a scatter of every trial, against trials or session time. Home leaves out the slowest
 * tenth of the valid trials, unless `show_all` is set, and marks an axis that does not start at zero.
 * Failures stand in lanes below the axis, one for each category that occurred. B goes to the best trial
 * (Shift+B sets the cursor), up and down go through the improvements, left and right through all trials.
 */
class ProgressChart : public TrialChart {
  Q_OBJECT

 public:
  explicit ProgressChart(QWidget* parent = nullptr);

  /** Sets the data: O(new trials) for a later snapshot of one session with unchanged FLOPs. */
  void set_data(ProgressData data);
  const ProgressData& data() const { return data_; }  ///< as last set

  /** Sets whether x is trials or session time; a change resets the view. */
  void set_x(ProgressX x);
  ProgressX x() const { return x_kind_; }  ///< trials at first
  /** Sets the quantity of y. GFLOPS need the task's FLOPs; without them times are shown in any case. */
  void set_y(ProgressY y);
  /** Returns the shown quantity of y: milliseconds if FLOPs are unknown, whatever was set. */
  ProgressY y() const;

  /**
   * Returns the position of a trial in the widget, in its lane if it failed; nullopt for a row outside of the
   * table.
   */
  std::optional<QPointF> position_of(std::int64_t row) const;
  /** Returns the number of dots that are drawn faint since they do not pass the filters. */
  std::size_t faint_count() const { return faint_points_.size(); }
  /** Returns the number of dots that are marked: their worker was slower than usual, they pass the filter. */
  std::size_t slow_worker_count() const { return slow_points_.size(); }
  /**
   * Moves the readout to the best trial and activates it: the confirmed trial if there is one, otherwise the
   * fastest. Does nothing if no trial is valid.
   */
  void go_to_best();

  Table table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_strip(Canvas& canvas, const PlotFrame& frame) override;
  void paint_around(Canvas& canvas, const PlotFrame& frame) override;
  void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) override;
  std::vector<qint64> rows_in(const QRectF& rectangle) const override;
  void home_changed() override;
  void selection_changed() override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void extend_menu(QMenu& menu) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void clear();
  void take_rows(std::int64_t first);
  void rebuild_points();
  void take_failure(const trial::Row& row, std::int64_t index);
  void append_point(PointCloud& cloud, const trial::Row& row, std::int64_t index) const;
  void update_home();
  /**
   * Marks the trials of slow workers that pass the filter. A later reading can change whether an earlier
   * trial is one.
   */
  void mark_slow_workers();

  ProgressScale scale() const { return {x_kind_, y(), data_.flops}; }
  double x_end() const;
  std::optional<Readout> readout_of(std::int64_t row) const;
  std::optional<Readout> strip_readout_at(const PlotFrame& shown, QPointF position) const;
  std::optional<std::int64_t> best_row() const;

  std::optional<LegendEntry> left_out_entry(const PlotFrame& frame) const;

  ProgressData data_;
  ProgressX x_kind_ = ProgressX::Trials;
  ProgressY y_kind_ = ProgressY::Gflops;
  PointCloud points_;
  PointCloud faint_points_;  ///< points of trials that do not pass the filters
  PointCloud selected_points_;
  PointCloud slow_points_;  ///< points of trials of a fleet's workers in slow phases
  FailureLanes failures_;
  QtPlot strip_plot_;
  ValueSketch seconds_sketch_;
  std::int64_t taken_ = 0;  ///< number of rows in points, failures and sketch
  std::int64_t valid_ = 0;
};

}  // namespace kernelscape::charts
