#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ui/charts/curves/point_cloud.h"
#include "ui/charts/trial_chart.h"

namespace kernelscape::charts {

/** One of the two objectives. */
struct ParetoAxis {
  QString title;
  QString unit;
  bool more_is_better = false;

  bool operator==(const ParetoAxis&) const = default;
};

/** A valid trial that has both values. */
struct ParetoPoint {
  std::int64_t row = -1;    ///< row of the trial table
  std::int64_t number = 0;  ///< number of the trial
  double x = 0;
  double y = 0;
};

struct ParetoData {
  ParetoAxis x;
  ParetoAxis y;
  std::shared_ptr<const std::vector<ParetoPoint>> points = {};  ///< ascending by row; null: none
  std::vector<std::size_t> front = {};  ///< positions in `points`, from the best x to the worst

  /** Returns the number of points. */
  std::size_t size() const { return points ? points->size() : 0; }
};

/**
 * Two quantities of a session's trials against each other, with the Pareto front: the trials of which no
 * other is at least as good in both and better in one. The front is a line of steps: everything on its worse
 * side is dominated. The arrow keys go along the front.
 */
class ParetoChart : public TrialChart {
  Q_OBJECT

 public:
  explicit ParetoChart(QWidget* parent = nullptr);

  /** Sets the data. The zoom is kept if both axes are unchanged. */
  void set_data(ParetoData data);
  const ParetoData& data() const { return data_; }  ///< as last set

  /** Returns the position of a trial in the widget; nullopt: it is not drawn. */
  std::optional<QPointF> position_of(std::int64_t row) const;

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_around(Canvas& canvas, const PlotFrame& frame) override;
  void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) override;
  std::vector<qint64> rows_in(const QRectF& rectangle) const override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void home_changed() override { update_home(); }
  void selection_changed() override;

 private:
  void take_points();
  void update_home();
  std::optional<std::size_t> point_with(std::int64_t row) const;
  std::vector<QPointF> stairs(const PlotFrame& frame) const;
  Readout readout_of(std::size_t point, QPointF position) const;

  ParetoData data_;
  std::vector<bool> on_front_;  ///< by point
  PointCloud cloud_;            ///< all trials; the front is painted over them
  PointCloud selected_;         ///< the selected trials
  AxisScale x_scale_ = AxisScale::Linear;
  AxisScale y_scale_ = AxisScale::Linear;
  Interval whole_x_;
  Interval whole_y_;
  Interval near_x_;  ///< without outliers, but with the whole front
  Interval near_y_;
};

}  // namespace kernelscape::charts
