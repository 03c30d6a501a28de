#pragma once

#include <optional>
#include <vector>

#include "ui/charts/curves/failure_lanes.h"
#include "ui/charts/curves/point_cloud.h"
#include "ui/charts/curves/series_data.h"
#include "ui/charts/curves/series_marks.h"
#include "ui/charts/trial_chart.h"
#include "ui/charts/value_span.h"

namespace kernelscape::charts {

/**
 * A number that a tuner reported for its trials, against trials or session time. Predictions are painted over
 * the measured values of their trials, with the deviation that the tuner reported; failed trials stand in
 * lanes below the axis. Left and right go through the trials that have a value, up and down to those of the
 * next and the previous batch.
 */
class SeriesChart : public TrialChart {
  Q_OBJECT

 public:
  explicit SeriesChart(QWidget* parent = nullptr);

  /**
   * Sets the data: O(new trials and values) for a later snapshot of one session and figure, if the
   * corrections of earlier trials are unchanged.
   */
  void set_data(SeriesData data);
  const SeriesData& data() const { return data_; }  ///< as last set

  /** Sets whether x is trials or session time; a change resets the view. */
  void set_x(ProgressX x);
  ProgressX x() const { return x_kind_; }  ///< trials at first

  /** Returns the position of a trial's value in the widget; nullopt: the trial has no value. */
  std::optional<QPointF> position_of(std::int64_t row) const;
  /**
   * Returns the position of a trial's measured value, in its lane if it failed; nullopt: the chart does not
   * show it.
   */
  std::optional<QPointF> measured_position_of(std::int64_t row) const;
  /** Returns how well the predictions rank the measured values. */
  const std::optional<analysis::PredictionQuality>& quality() const { return quality_; }

  Table table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_around(Canvas& canvas, const PlotFrame& frame) override;
  void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) override;
  std::vector<qint64> rows_in(const QRectF& rectangle) const override;
  void home_changed() override;
  void selection_changed() override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;

 private:
  bool estimates() const { return data_.figure.relation == trial::SeriesRelation::Estimate; }
  bool predicts() const { return data_.figure.relation != trial::SeriesRelation::None; }

  void clear();
  void take_values(bool new_values);
  void append_value(const trial::Row& trial, std::int64_t row, double value);
  void append_measured(const trial::Row& trial, std::int64_t row, double value);
  void rebuild();
  void update_titles();
  void update_home();
  Interval home_of_y() const;

  bool has_value(std::int64_t row) const;
  Readout readout_of(std::int64_t row, QPointF position) const;

  SeriesData data_;
  ProgressX x_kind_ = ProgressX::Trials;
  PointCloud values_;
  PointCloud measured_;
  PointCloud corrected_;  ///< of `measured_`, those that are corrected
  PointCloud selected_;
  UncertaintyBand band_;
  StepLine steps_;
  FailureLanes failures_;
  ValueSpan span_;
  analysis::PredictionPairs pairs_;
  std::optional<analysis::PredictionQuality> quality_;
  SeriesArrivals arrivals_;
  std::int64_t valued_ = 0;
  std::int64_t last_row_ = -1;  ///< last row with a value
};

}  // namespace kernelscape::charts
