#pragma once

#include <optional>
#include <vector>

#include "core/analysis/landscape/space_variables.h"
#include "ui/charts/trial_chart.h"

namespace kernelscape::charts {

/** The trials that share both values. */
struct VariablePoint {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t valid = 0;
  std::optional<double> best = {};  ///< best performance; nullopt: no trial has one
  /** Row of the best trial; without one, of the first valid trial; otherwise of the first trial. */
  std::int64_t row = -1;
  std::int64_t selected = 0;
  std::vector<std::int64_t> rows = {};  ///< ascending
};

/** One of the two variables. */
struct VariableAxis {
  QString name;
  bool logarithmic = false;  ///< values are positive and span a decade

  bool operator==(const VariableAxis&) const = default;
};

struct VariablePlaneData {
  VariableAxis x;
  VariableAxis y;
  QString quantity;  ///< "speed"
  QString unit;      ///< "GFLOPS"
  bool higher_is_better = true;
  std::vector<VariablePoint> points;  ///< ascending by x, then y
  analysis::ValidRegion region;       ///< region of feasible configurations
  std::vector<analysis::VariableBound> bounds;
};

/** Returns a bound as text: "threads <= 1,024: threads per block". */
QString bound_text(const analysis::VariableBound& bound, const VariablePlaneData& data);

/**
 * Two variables of a space's constraints against each other and against speed (Heron, figure 11): a dot for
 * the trials with these values, coloured by the best of them, over the values of feasible configurations,
 * with the bounds of LE constraints. Up and down go through the points, column by column, left and right to
 * the nearest point of the next column.
 */
class VariablePlaneChart : public TrialChart {
  Q_OBJECT

 public:
  explicit VariablePlaneChart(QWidget* parent = nullptr);

  /** Sets the data. The zoom is kept if the variables are unchanged. */
  void set_data(VariablePlaneData data);
  const VariablePlaneData& data() const { return data_; }  ///< as last set

  /** Returns the position of a point in the widget; nullopt: a logarithmic axis cannot show it. */
  std::optional<QPointF> position_of(std::size_t point) const;

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_around(Canvas& canvas, const PlotFrame& frame) override;
  void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) override;
  std::vector<qint64> rows_in(const QRectF& rectangle) const override;
  void home_changed() override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;

 private:
  void update_home(AxisScale scale_of_y);
  std::optional<std::size_t> point_with(std::int64_t row) const;
  std::optional<std::size_t> nearest(const PlotFrame& frame, QPointF position) const;
  const analysis::RegionPair* pair_near(const PlotFrame& frame, QPointF position) const;
  QString values_text(std::int64_t x, std::int64_t y) const;
  Readout readout_of(std::size_t point, QPointF position) const;
  std::size_t best_point() const;
  std::size_t beside(std::size_t point, bool right) const;

  VariablePlaneData data_;
};

}  // namespace kernelscape::charts
