#pragma once

#include <optional>
#include <vector>

#include "core/analysis/distribution.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** A point of the distribution, with an estimate for the whole space. */
struct CumulativePoint {
  analysis::TopPoint point;
  /** 95 % confidence interval of the share in the space; only for random samples. */
  std::optional<std::pair<double, double>> interval = {};
};

struct CumulativeData {
  std::vector<CumulativePoint> points;  ///< points from the best performance down
  std::int64_t trials = 0;              ///< all trials, including failed ones
  QString of_what;                      ///< "configurations" of the space, or "trials" of a tuner
};

/**
 * The cumulative distribution from the best down: the share of trials within x % of the best (NoSE, figure
 * 4). The numbers at 1, 5, 10 and 25 % stand beside the line.
 */
class CumulativeChart : public XyChart {
  Q_OBJECT

 public:
  explicit CumulativeChart(QWidget* parent = nullptr);

  /** Replaces the points and the home axes. */
  void set_data(CumulativeData data);
  const CumulativeData& data() const { return data_; }  ///< as last set
  /** Sets how far the current trial is below the best, 0 to 1; nullopt: no mark. */
  void set_current(std::optional<double> below_best);

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** Emitted on a click, to select all trials at most so far below the best, 0 to 1. */
  void within_activated(double below_best);

 protected:
  void home_changed() override;
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  const CumulativePoint* point_at(double below_best) const;
  Readout readout_of(const CumulativePoint& point, double below_best, const PlotFrame& frame) const;
  void paint_marks(Canvas& canvas, const PlotFrame& frame) const;

  CumulativeData data_;
  std::optional<double> current_;
};

}  // namespace kernelscape::charts
