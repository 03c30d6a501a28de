#pragma once

#include <optional>
#include <vector>

#include "ui/charts/curves/timeline_bands.h"
#include "ui/charts/trial_chart.h"

namespace kernelscape::charts {

/**
 * What the tuner, the builders and the device of each machine did over session time, as in Tracy: a lane for
 * the search, for each builder, for the device and for waiting, with trials as blocks, and the machine's
 * speed below. Blocks narrower than two pixels are summed: the height of the lane's bar is then the share of
 * the time that they take. A click on a block activates its trial.
 */
class TimelineChart : public TrialChart {
  Q_OBJECT

 public:
  explicit TimelineChart(QWidget* parent = nullptr);

  /** Sets the data. The zoom and the readout of a trial are kept. */
  void set_data(const TimelineData& data);
  const TimelineData& data() const { return data_; }  ///< as last set

  /** Returns the number of lanes and of curves of the machine's speed, from the top. */
  std::size_t band_count() const { return bands_.size(); }
  /** Returns the place of a lane or of a curve in the widget. */
  QRectF band_place(std::size_t band) const { return place_of(frame(), bands_.at(band)); }

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_around(Canvas& canvas, const PlotFrame& frame) override;
  void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) override;
  std::vector<qint64> rows_in(const QRectF& rectangle) const override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void current_row_changed() override;
  void selection_changed() override { invalidate(); }
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void update_bands();
  std::optional<std::size_t> band_at(const PlotFrame& frame, double y) const;
  Readout readout_of(const PlotFrame& frame, const TimelineBand& band, std::size_t mark) const;
  /** Returns the mark of a band that is nearest to a time, if it is visible. */
  std::optional<Readout> visible_readout(const PlotFrame& frame, const TimelineBand& band,
                                         double seconds) const;
  void paint_speeds(Canvas& canvas, const PlotFrame& frame, const TimelineBand& band);
  std::optional<TimelineBandKind> kind_of_readout() const;
  void follow_readout(const std::optional<TimelineBandKind>& kind);
  void show_lane_of_readout();

  TimelineData data_;
  std::vector<TimelineBand> bands_;                           ///< from the top
  std::vector<std::pair<std::size_t, std::size_t>> current_;  ///< band and mark of the current trial's blocks
};

}  // namespace kernelscape::charts
