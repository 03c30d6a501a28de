#pragma once

#include <optional>
#include <vector>

#include "core/analysis/calibration.h"
#include "ui/charts/curves/failure_lanes.h"
#include "ui/charts/curves/point_cloud.h"
#include "ui/charts/curves/series_data.h"
#include "ui/charts/trial_chart.h"
#include "ui/charts/value_span.h"

namespace kernelscape::charts {

/**
 * Predictions of a tuner against the measured values of its trials, with the diagonal on which both are
 * equal: the figure is an estimate. The latest batch is highlighted; a bar is one standard deviation that the
 * tuner reported. Failed trials stand in lanes below the axis, at their predicted value. Left and right go
 * through the trials in their order, up and down to those of the next and the previous batch.
 */
class PredictionChart : public TrialChart {
  Q_OBJECT

 public:
  explicit PredictionChart(QWidget* parent = nullptr);

  /**
   * Sets the data: O(new trials and values) for a later snapshot of one session and figure, if the
   * corrections of earlier trials are unchanged.
   */
  void set_data(SeriesData data);
  const SeriesData& data() const { return data_; }  ///< as last set

  /**
   * Returns the position of a trial in the widget, in its lane if it failed; nullopt: the trial has no
   * prediction or no result.
   */
  std::optional<QPointF> position_of(std::int64_t row) const;
  /** Returns the rows of the latest batch, which are highlighted. */
  const std::vector<std::int64_t>& latest_batch() const { return latest_; }
  /**
   * Returns how well the predictions rank the measured values; nullopt: there are too few pairs, or the
   * values cannot be ranked.
   */
  const std::optional<analysis::PredictionQuality>& quality() const { return quality_; }
  /** Returns the calibration of the deviations; nullopt also if the tuner reports no deviations. */
  std::optional<analysis::Calibration> calibration() const { return counts_.calibration(); }

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
  double head_height(QSizeF room) const override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;

 private:
  /** If there are more trials than this, they have no error bars. */
  static constexpr std::size_t max_bars = 60;

  void clear();
  void take_values(bool new_values);
  void append(const trial::Row& trial, std::int64_t row, double predicted);
  QStringList statistics() const;
  /** Returns the lines of the statistics, at most as wide as the plot. @param width of the plot */
  QStringList statistics_lines(double width) const;
  void update_home();
  Interval home_range() const;

  std::optional<QPointF> place_in(const PlotFrame& frame, std::int64_t row) const;
  Readout readout_of(std::int64_t row, QPointF position) const;
  void paint_diagonal(Canvas& canvas, const PlotFrame& frame);
  void paint_statistics(Canvas& canvas, const PlotFrame& frame) const;
  void paint_deviations(Canvas& canvas, const PlotFrame& frame) const;
  void paint_deviation(Canvas& canvas, const PlotFrame& frame, std::int64_t row, const Stroke& stroke) const;

  SeriesData data_;
  SeriesArrivals arrivals_;
  PointCloud points_;
  PointCloud selected_;
  PointCloud corrected_;  ///< of `points_`, those whose measured value is corrected
  FailureLanes failures_;
  ValueSpan span_;  ///< range of predicted and measured values
  analysis::PredictionPairs pairs_;
  std::optional<analysis::PredictionQuality> quality_;
  analysis::CalibrationCount counts_;
  std::vector<std::int64_t> few_;     ///< the first measured rows, at most one more than `max_bars`
  std::vector<std::int64_t> latest_;  ///< measured rows of the latest batch that has any
  std::int32_t latest_number_ = -1;   ///< number of that batch
  std::int64_t last_row_ = -1;        ///< last row that is shown
};

}  // namespace kernelscape::charts
