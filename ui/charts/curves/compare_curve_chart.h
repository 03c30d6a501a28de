#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ui/charts/curves/compare_curve_data.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/**
 * Best so far of every tuner: the mean with its interval or its standard error, or the median with its
 * quartiles, over wall time or trials (NoSE, figure 5A; for one task figure 8). A lane below shows the number
 * of runs that had not ended.
 */
class CompareCurveChart : public XyChart {
  Q_OBJECT

 public:
  explicit CompareCurveChart(QWidget* parent = nullptr);

  /**
   * Sets the data. The zoom is kept if axis, quantity and task are unchanged; otherwise the view goes home.
   */
  void set_data(CompareCurveData data);
  const CompareCurveData& data() const { return data_; }  ///< as last set

  /** Sets the arms that are not drawn, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** Highlights an arm and makes the others faint; nullopt: no arm is highlighted. */
  void set_highlighted(std::optional<std::size_t> arm);
  /**
   * Sets the statistics of line and band. A caption that begins with the previous sentence of `spread_text`
   * is updated.
   */
  void set_spread(CompareSpread spread);
  CompareSpread spread() const { return spread_; }  ///< Interval at first
  /** Sets the scale of x. Only data over a logarithmic grid look smooth on a logarithmic x axis. */
  void set_x_logarithmic(bool logarithmic);
  bool x_logarithmic() const { return x_logarithmic_; }  ///< false at first
  /** Sets whether the chart is small: its title is the task, and the legend of the view names the arms. */
  void set_small(bool small);

  /**
   * Returns the title of y: "% of optimum", "% of best found", "GFLOPS", "speed-up over ga" or "% valid
   * offspring".
   */
  QString y_text() const;
  /** Returns the curves that are drawn. */
  std::vector<const CompareCurve*> shown() const;

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** Emitted on a click near a curve, or on Enter. */
  void arm_activated(qint64 arm);
  /**
   * Emitted when the user changes the scale of x in the menu: the data should be computed over another grid.
   */
  void x_logarithmic_changed(bool logarithmic);

 protected:
  void home_changed() override;
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_around(Canvas& canvas, const PlotFrame& frame) override;
  void extend_menu(QMenu& menu) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;
  /**
   * Returns the home range of y: from zero (linear) or the minimum of the lines (logarithmic) to above bands
   * and optimum.
   */
  virtual Interval y_range() const;

 private:
  struct Band {
    double low = 0;
    double middle = 0;
    double high = 0;
  };
  /** Returns the band at a point of the grid, in the axis' unit. */
  Band band_at(const CompareCurve& shown_curve, std::size_t index) const;
  double y_factor() const;
  QString of_text() const;
  void update_title();
  void extend_spreads(QMenu& menu);
  void update_lane();
  std::size_t grid_index(double x) const;
  Readout readout_of(std::size_t index, std::size_t arm, const PlotFrame& frame) const;
  std::vector<const CompareCurve*> sorted_at(std::size_t index) const;
  QString value_text(const CompareCurve& shown_curve, std::size_t index) const;
  PlotArea area_of(const CompareCurve& shown_curve) const;
  PlotLine line_of(const CompareCurve& shown_curve) const;
  void paint_names(Canvas& canvas, const PlotFrame& frame) const;
  bool faint(std::size_t arm) const { return highlighted_ && *highlighted_ != arm; }

  CompareCurveData data_;
  std::set<std::size_t> hidden_;
  std::optional<std::size_t> highlighted_;
  CompareSpread spread_ = CompareSpread::Interval;
  bool x_logarithmic_ = false;
  bool small_ = false;
};

}  // namespace kernelscape::charts
